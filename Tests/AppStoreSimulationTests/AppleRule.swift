import AppStoreModel
import AppStoreSimulation
import Primitives

/// How the state at an instant follows from what was signed by then, in the order in which Apple tells to look:
/// revoked, then covered by a period, then grace, then billing retry, else expired.
struct AppleRule {
    private let signed: [String: [Reading]]
    /// When a subscription became another.
    private let migrations: [String: Instant]

    /// - Parameter readings: in the order of their signatures.
    init(_ readings: [Reading]) {
        signed = Dictionary(grouping: readings) { $0.artifact.originalTransactionId ?? "" }
        var migrations: [String: Instant] = [:]
        for transaction in readings.compactMap(\.transaction) {
            guard let previous = transaction.previousOriginalTransactionId else { continue }
            migrations[previous] = min(migrations[previous] ?? .latest, transaction.originalPurchaseDate ?? .latest)
        }
        self.migrations = migrations
    }

    /// Nil where what was signed under the id says nothing of its state: before its first period, of consumables, and
    /// for a subscription that was migrated away.
    func state(of id: String, at instant: Instant) -> TruthState? {
        let known = (signed[id] ?? []).filter { $0.artifact.signedDate <= instant }
        var copies: [String: Transaction] = [:]
        for transaction in known.compactMap(\.transaction) { copies[transaction.transactionId ?? ""] = transaction }
        let begun = copies.values.filter { Self.start($0) <= instant && $0.isUpgraded != true }
        let isMigrated = migrations[id].map { $0 <= instant } ?? false
        guard !isMigrated, let newest = begun.max(by: { Self.start($0) < Self.start($1) }),
            newest.type == .autoRenewable || newest.type == .nonConsumable
        else { return nil }

        let renewalInfo = known.last { $0.renewalInfo != nil }?.renewalInfo
        let status = Self.status(of: newest, renewalInfo, at: instant)
        let willRenew = status != .expired && status != .revoked && renewalInfo?.autoRenewStatus == .on
        let following = copies.values.first {
            $0.purchaseDate == newest.expiresDate && newest.expiresDate != nil && $0.revocationDate == nil
        }
        let changesPlan = willRenew && renewalInfo?.autoRenewProductId != newest.productId
        return TruthState(
            productId: newest.productId ?? "", status: status,
            expiresAt: (status == .active ? following?.expiresDate : nil) ?? newest.expiresDate, willRenew: willRenew,
            pendingProductId: changesPlan ? renewalInfo?.autoRenewProductId : nil, revokedAt: newest.revocationDate)
    }

    private static func start(_ transaction: Transaction) -> Instant { transaction.purchaseDate ?? .latest }

    private static func status(
        of newest: Transaction, _ renewalInfo: RenewalInfo?, at instant: Instant
    ) -> TruthStatus {
        if newest.revocationDate != nil { return .revoked }
        guard let end = newest.expiresDate else { return .active }
        if instant < end { return .active }
        if let grace = renewalInfo?.gracePeriodExpiresDate, instant < grace { return .gracePeriod }
        let retryEnd = end.advanced(byMilliseconds: 60 * Instant.millisecondsPerDay)
        if renewalInfo?.isInBillingRetryPeriod == true, instant < retryEnd { return .billingRetry }
        return .expired
    }
}
