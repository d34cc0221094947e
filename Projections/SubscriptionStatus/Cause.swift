package import AppStoreModel
package import LedgerModel
import Primitives

/// The cause of a transition.
package enum Cause: Hashable, BitwiseCopyable, Sendable {
    case notification(NotificationType, Subtype?)
    case transaction
    case renewalInfo
    /// A payload beside a status in an answer of the App Store Server API, or an answer of verifyReceipt.
    case poll
    case receipt
    /// No statement: time alone causes the transition.
    case time

    /// `notificationType[/subtype]`, or the kind of a payload posted alone.
    package var name: String {
        switch self {
        case .notification(let type, let subtype): subtype.map { "\(type)/\($0)" } ?? type.rawValue
        case .transaction: "transaction"
        case .renewalInfo: "renewalInfo"
        case .poll: "poll"
        case .receipt: "receipt"
        case .time: "time"
        }
    }
}

extension Lineage {
    /// Returns the cause that a statement represents.
    /// - Complexity: O(n log n) for n notifications.
    package func cause(of source: Source) -> Cause { Causes(self).cause(source) }
}

/// Finds causes among all statements of a lineage, since a notification of one key may state the end of another.
struct Causes {
    /// Ascending by digest. A JWS has the cause of the first notification in the total order that carries it, or that is
    /// the JWS.
    private let causes: [(digest: Digest, cause: Cause)]

    init(_ lineage: Lineage) {
        let notifications = lineage.subscriptions.flatMap(\.notifications).sorted { $0.source.precedes($1.source) }
        var causes: [(digest: Digest, cause: Cause)] = []
        causes.reserveCapacity(4 * notifications.count)
        for notification in notifications {
            let fact = notification.value
            guard let type = fact.notificationType else { continue }
            let cause = Cause.notification(type, fact.subtype)
            causes.append((notification.source.name.digest, cause))
            if let carried = fact.signedTransactionInfo { causes.append((carried, cause)) }
            if let carried = fact.signedRenewalInfo { causes.append((carried, cause)) }
            if let carried = fact.signedAppTransactionInfo { causes.append((carried, cause)) }
        }
        for status in notifications.map(\.value) where status.isPolled {
            for carried in [status.signedTransactionInfo, status.signedRenewalInfo].compactMap(\.self) {
                causes.append((carried, .poll))
            }
        }
        for subscription in lineage.subscriptions {
            for period in subscription.periods {
                for digest in period.renewalInfoDigests { causes.append((digest, .renewalInfo)) }
            }
        }
        // The sort is stable, so the first cause of a digest stays the first.
        self.causes = causes.sorted { $0.digest < $1.digest }
    }

    /// Returns the first statement of the change in the total order, and its cause; nil when time alone causes it.
    func statement(of change: Change) -> (source: Source, cause: Cause)? {
        guard let source = change.statements.min(by: { $0.precedes($1) }) else { return nil }
        return (source, cause(source))
    }

    func cause(_ source: Source) -> Cause {
        // An answer of verifyReceipt is not signed, so nothing else carries its words.
        if source.rank == .verifyReceiptLatest || source.rank == .receiptInApp { return .poll }
        let digest = source.name.digest
        let index = causes.partitioningIndex { $0.digest >= digest }
        guard index < causes.endIndex, causes[index].digest == digest else {
            return source.rank == .receiptFile ? .receipt : .transaction
        }
        return causes[index].cause
    }
}

extension NotificationFact {
    /// Whether the fact is the status in an answer of Apple.
    fileprivate var isPolled: Bool { notificationType == nil && notificationUUID == nil && status != nil }
}

extension Change {
    /// The observations that state the change: the transaction of a new purchase, the revocation or its reversal, the
    /// statement of a new end, or the renewal info in force.
    var statements: [Source] {
        if !revocations.isEmpty {
            return revocations.compactMap { $0.revocation.end == at ? $0.revocation.reversal : $0.revocation.source }
        }
        if isNewPurchase { return statementsOfPurchase }
        if from?.status != to.status { return statementsOfStatus }
        if from?.expiresAt != to.expiresAt {
            return statementsOfEnd
        }
        return statementsOfRenewal
    }

    private var statementsOfEnd: [Source] {
        [context.period.statementOfEnd(at: at)?.statement.source].compactMap(\.self)
    }

    /// The first statement of the new purchase, or its revocation if it is revoked when it begins.
    private var statementsOfPurchase: [Source] {
        if let revocation = context.period.revocation(at: at) { return [revocation.source] }
        return [context.period.firstSource].compactMap(\.self)
    }

    private var statementsOfStatus: [Source] {
        let renewal = context.renewal?.statement
        switch to.decision {
        case .replaced: return context.period.replacement?.sources ?? []
        case .revoked: return [context.period.revocation(at: at)?.source].compactMap(\.self)
        case .gracePeriod, .signedGracePeriod, .billingRetry:
            // The renewal info signed at the end of a grace period states that end; otherwise time alone causes it.
            let isEndOfGrace = from?.status == .gracePeriod
            return renewal.map { isEndOfGrace && $0.source.time != at ? [] : [$0.source] } ?? []
        case .periodEnded:
            let status = context.signedStatus?.code.deniesRenewal == true ? context.signedStatus?.source : nil
            guard let renewal else { return [status].compactMap(\.self) }
            let statesEnd = renewal.value.autoRenewStatus == .off || renewal.value.expirationIntent != nil
            return statesEnd || status != nil ? [renewal.source] : []
        case .periodCovers, .impliedPeriodCovers:
            if from?.expiresAt != to.expiresAt { return statementsOfEnd }
            return [context.period.firstSource].compactMap(\.self)
        case .renewalAwaited, .inferredBillingRetry: return []
        }
    }

    private var statementsOfRenewal: [Source] {
        guard
            from?.willRenew != to.willRenew || from?.pendingProductId != to.pendingProductId
                || from?.priceIncrease != to.priceIncrease || from?.gracePeriodExpiresAt != to.gracePeriodExpiresAt
        else {
            return context.renewal.map { $0.statement.source.time == at ? [$0.statement.source] : [] } ?? []
        }
        if let charged = context.chargedRenewal { return [charged.firstSource].compactMap(\.self) }
        return [context.renewal?.statement.source].compactMap(\.self)
    }
}
