import AppStoreModel
import Primitives

/// Artifacts that contradict each other or themselves. A ledger must accept them in any order, with the same result.
package enum Contradiction: CaseIterable, Sendable {
    /// Two renewal infos with one signedDate, auto-renewal on in one and off in the other.
    case renewalInfosOfOneInstant
    /// REFUND_REVERSED signed before the REFUND.
    case reversalBeforeRefund
    /// isUpgraded without a replacing purchase.
    case upgradeWithoutSuccessor
    /// An appAccountToken that is not a UUID.
    case malformedToken
    /// An expiresDate before the purchaseDate.
    case endBeforeStart

    var kind: ChangeKind {
        switch self {
        case .renewalInfosOfOneInstant: .renewalInfosOfOneInstant
        case .reversalBeforeRefund: .reversalBeforeRefund
        case .upgradeWithoutSuccessor: .upgradeWithoutSuccessor
        case .malformedToken: .malformedToken
        case .endBeforeStart: .endBeforeStart
        }
    }
}

extension AppStore {
    /// Signs a contradiction. The subscription itself stays unchanged.
    package mutating func sign(_ contradiction: Contradiction, of id: SubscriptionID) {
        let books = self[id]
        let change = changed(contradiction.kind, id)
        let newest = books.charges.count - 1
        switch contradiction {
        case .renewalInfosOfOneInstant:
            signRenewalInfo(of: id, change)
            self[id].autoRenews.toggle()
            signRenewalInfo(of: id, change)
        case .reversalBeforeRefund:
            notify(change, .refundReversed, of: id)
            self[id].charges[newest].revocation = Revocation(
                date: now, reason: .other, type: .refundFull, percentage: 100_000)
            notify(changed(contradiction.kind, id), .refund, of: id)
        case .upgradeWithoutSuccessor:
            self[id].charges[newest].isUpgraded = true
            signTransaction(self[id].charges[newest], of: books.origin, change)
        case .malformedToken:
            self[id].charges[newest].appAccountToken = "customer-17"
            signTransaction(self[id].charges[newest], of: books.origin, change)
        case .endBeforeStart:
            self[id].charges[newest].expiresDate = books.newest.purchaseDate.advanced(byMilliseconds: -1_000)
            notify(change, .renewalExtended, of: id)
        }
        let signedDate = self[id].lastSignedDate
        self[id] = books
        self[id].lastSignedDate = signedDate
    }
}
