package import AppStoreModel
import LedgerModel
import Primitives

/// What made a transition.
package enum Cause: Hashable, Sendable {
    case notification(NotificationType, Subtype?)
    case transaction
    case renewalInfo
    /// No statement: an instant was reached.
    case time

    /// `notificationType[/subtype]`, or the kind of what was posted alone.
    package var name: String {
        switch self {
        case .notification(let type, let subtype): subtype.map { "\(type)/\($0)" } ?? type.rawValue
        case .transaction: "transaction"
        case .renewalInfo: "renewalInfo"
        case .time: "time"
        }
    }
}

/// The change whose cause is asked for.
struct Change {
    let at: Instant
    let from: SubscriptionState?
    let to: SubscriptionState
    let subscription: Subscription

    init(at: Instant, from: SubscriptionState?, to: SubscriptionState, in subscription: Subscription) {
        self.at = at
        self.from = from
        self.to = to
        self.subscription = subscription
    }
}

/// Finds causes among all that a lineage knows, since a notification of one key may state the end of another.
struct Causes {
    /// In the total order.
    private let notifications: [Observed<NotificationFact>]

    init(_ lineage: Lineage) {
        notifications = lineage.subscriptions.flatMap(\.notifications).sorted { $0.source.precedes($1.source) }
    }

    /// The least of the observations that state the change, and what it is called; nil when none does.
    func statement(of change: Change) -> (source: Source, cause: Cause)? {
        guard let source = change.statements.min(by: { $0.precedes($1) }) else { return nil }
        return (source, cause(source, in: change.subscription))
    }

    /// The type of the least notification that carries the statement, or is it; else the kind of the statement.
    private func cause(_ source: Source, in subscription: Subscription) -> Cause {
        let notification = notifications.first {
            $0.value.notificationType != nil
                && ($0.value.carries(source.name.digest) || $0.source.name == source.name)
        }
        if let fact = notification?.value, let type = fact.notificationType {
            return .notification(type, fact.subtype)
        }
        let isRenewalInfo = subscription.renewalInfo.steps.contains { $0.source.name == source.name }
        return isRenewalInfo ? .renewalInfo : .transaction
    }
}

extension Change {
    /// The observations that state it: whatever begins or ends a purchase at this instant, else what Apple signed at
    /// this instant, else what Apple has said of it since.
    fileprivate var statements: [Source] {
        if let from, !to.differsBeyondRenewal(from: from) { return renewalInfos }
        let byDirectness = [purchases + revocations, renewalInfos, signedStatuses, laterRenewalInfos]
        return byDirectness.first { !$0.isEmpty } ?? []
    }

    /// Of the purchases that begin, of an end that is moved, and of purchases that take another's place.
    private var purchases: [Source] {
        subscription.periods.flatMap { period in
            if period.start == at { return period.sources }
            if period.replacement?.start == at { return period.replacement?.sources ?? [] }
            let isEndMoved = period.end(at: at) != period.end(at: at.advanced(byMilliseconds: -1))
            return isEndMoved ? period.expiresDate.steps.map(\.source).filter { $0.time == at } : []
        }
    }

    private var revocations: [Source] {
        subscription.periods.flatMap(\.revocations).flatMap { revocation in
            [revocation.start == at ? revocation.source : nil, revocation.end == at ? revocation.reversal : nil]
        }
        .compactMap(\.self)
    }

    private var renewalInfos: [Source] {
        subscription.renewalInfo.steps.map(\.source).filter { $0.time == at }
    }

    private var signedStatuses: [Source] {
        subscription.notifications.filter {
            $0.source.time == at && $0.value.status.flatMap(Status.init(signed:)) == to.status
        }
        .map(\.source)
    }

    /// Time made the change, and a renewal info signed since says of the same period what became of it.
    private var laterRenewalInfos: [Source] {
        guard from?.status != to.status, let end = to.expiresAt else { return [] }
        return subscription.renewalInfo.steps.filter { renewal in
            guard renewal.source.time >= at, let renewalDate = renewal.value.renewalDate else { return false }
            return end.joins(renewalDate) && renewalDate.joins(end)
                && renewal.value.statedStatus(at: renewal.source.time) == to.status
        }
        .map(\.source)
    }
}

extension RenewalFact {
    /// What it says has become of the purchase that ended at renewalDate.
    fileprivate func statedStatus(at signed: Instant) -> Status? {
        if let gracePeriodExpiresDate, signed < gracePeriodExpiresDate { return .gracePeriod }
        if isInBillingRetryPeriod == true { return .billingRetry }
        return expirationIntent == nil ? nil : .expired
    }
}
