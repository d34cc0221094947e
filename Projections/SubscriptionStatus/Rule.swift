import LedgerModel

/// The rule that decided a status: the explanation of an answer.
package enum Rule: Hashable, Sendable {
    // In the order in which `Moment.rule` tries them.
    case periodCovers, impliedPeriodCovers, replaced, revoked, renewalAwaited, gracePeriod, billingRetry
    case signedStatus(Status)
    case periodEnded

    package var status: Status {
        switch self {
        case .periodCovers, .impliedPeriodCovers, .renewalAwaited: .active
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .revoked: .revoked
        case .replaced, .periodEnded: .expired
        case .signedStatus(let status): status
        }
    }

    package var name: String {
        switch self {
        case .periodCovers: "periodCovers"
        case .impliedPeriodCovers: "impliedPeriodCovers"
        case .renewalAwaited: "renewalAwaited"
        case .gracePeriod: "gracePeriod"
        case .billingRetry: "billingRetry"
        case .revoked: "revoked"
        case .replaced: "replaced"
        case .periodEnded: "periodEnded"
        case .signedStatus: "signedStatus"
        }
    }

    package var words: String {
        switch self {
        case .periodCovers:
            "A period that is neither revoked nor replaced covers this instant."
        case .impliedPeriodCovers:
            "Apple speaks of a purchase whose transaction is not known yet; the period it implies covers this instant."
        case .renewalAwaited:
            "The newest period has ended, auto-renew is on and no failure is known: its renewal is awaited."
        case .gracePeriod:
            "The renewal failed, and Apple's billing grace period has not expired."
        case .billingRetry:
            "The renewal failed, and Apple retries the charge."
        case .revoked:
            "The newest period is refunded or its sharing has ended, and nothing was bought since."
        case .replaced:
            "Another purchase has taken the place of the newest period."
        case .periodEnded:
            "The newest period has ended, and nothing keeps the subscription running."
        case .signedStatus:
            "The newest period has ended, no renewal info is known, and Apple signed this status since."
        }
    }
}

extension Moment {
    /// The rule in words, and whether it looks ahead to the first renewal info known.
    var words: String {
        isRenewalInferred ? rule.words + " No renewal info from before is known: the first one is taken." : rule.words
    }
}
