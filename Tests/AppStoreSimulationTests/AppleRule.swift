import AppStoreModel
import AppStoreSimulation
import Primitives

/// Derives the state at an instant from the artifacts signed up to then, in the order that Apple documents: revoked,
/// then covered by a period, then grace, then billing retry, else expired.
///
/// Purchases are ordered by their first signatures. A ledger cannot rely on this order, because it may not have all of
/// them.
struct AppleRule {
    private let signed: [String: [Reading]]
    /// The instants from which subscriptions were replaced by others.
    private let migrations: [String: Instant]

    /// - Parameter readings: the readings in the order of their signatures.
    init(_ readings: [Reading]) {
        signed = Dictionary(grouping: readings) { $0.artifact.originalTransactionId ?? "" }
        var migrations: [String: Instant] = [:]
        for transaction in readings.compactMap(\.transaction) {
            guard let previous = transaction.previousOriginalTransactionId else { continue }
            migrations[previous] = min(migrations[previous] ?? .latest, transaction.originalPurchaseDate ?? .latest)
        }
        self.migrations = migrations
    }

    /// Returns nil if the artifacts signed under the id determine no state: before its first period, for consumables,
    /// and for a subscription that was migrated away.
    func state(of id: String, at instant: Instant) -> TruthState? {
        let known = (signed[id] ?? []).filter { $0.artifact.signedDate <= instant }
        let purchases = Self.purchases(in: known.compactMap(\.transaction))
        let isMigrated = migrations[id].map { $0 <= instant } ?? false
        guard !isMigrated, let index = purchases.lastIndex(where: { $0.start <= instant }),
            case let newest = purchases[index].copy, newest.type == .autoRenewable || newest.type == .nonConsumable
        else { return nil }

        let told = known.filter { $0.renewalInfo != nil }.max { $0.renewalInfoDate < $1.renewalInfoDate }
        let charged = purchases[(index + 1)...].first { $0.copy.revocationDate == nil }?.copy
        let statusDate = Self.signedRevocation(of: newest, in: known)
        let status = newest.revocationDate ?? statusDate == nil ? Self.status(of: newest, told, at: instant) : .revoked
        var willRenew = told?.renewalInfo.map { $0.autoRenewStatus == .on }
        if charged != nil { willRenew = true }
        if status == .expired || status == .revoked || newest.type == .nonConsumable { willRenew = false }
        let next = willRenew == true ? charged?.productId ?? told?.renewalInfo?.autoRenewProductId : nil
        return TruthState(
            productId: newest.productId ?? "", status: status, expiresAt: newest.expiresDate, willRenew: willRenew,
            pendingProductId: next == newest.productId ? nil : next, revokedAt: newest.revocationDate ?? statusDate,
            owner: Self.owner(in: known, at: instant))
    }

    /// The purchases in the order of their first signatures, each with its latest copy.
    private static func purchases(in transactions: [Transaction]) -> [(start: Instant, copy: Transaction)] {
        var purchases: [(start: Instant, copy: Transaction)] = []
        var indices: [String: Int] = [:]
        for transaction in transactions.sorted(by: { $0.signedDate ?? .latest < $1.signedDate ?? .latest }) {
            let start = transaction.purchaseDate ?? .latest
            let item = transaction.webOrderLineItemId ?? transaction.originalTransactionId ?? ""
            if let index = indices[item] {
                purchases[index] = (min(start, purchases[index].start), transaction)
            } else {
                indices[item] = purchases.count
                purchases.append((start, transaction))
            }
        }
        return purchases
    }

    private static func status(of newest: Transaction, _ told: Reading?, at instant: Instant) -> TruthStatus {
        guard let end = newest.expiresDate else { return .active }
        if instant < end { return .active }
        let renewalInfo = told?.renewalInfo
        if let grace = renewalInfo?.gracePeriodExpiresDate, instant < grace { return .gracePeriod }
        let retryEnd = end.advanced(byMilliseconds: 60 * Instant.millisecondsPerDay)
        guard renewalInfo?.isInBillingRetryPeriod == true, instant < retryEnd else { return .expired }
        return told?.notification?.data?.status == .gracePeriod ? .gracePeriod : .billingRetry
    }

    /// The first signing of status 5 in a notification whose transaction has no revocation date.
    private static func signedRevocation(of newest: Transaction, in known: [Reading]) -> Instant? {
        known.filter { reading in
            reading.notification?.data?.status == .revoked && reading.transaction?.revocationDate == nil
                && reading.transaction?.transactionId == newest.transactionId
        }.map(\.artifact.signedDate).min()
    }

    /// The newest token. A purchase's first token counts from the purchase, any other from its signing.
    private static func owner(in known: [Reading], at instant: Instant) -> String? {
        var tokens: [String: Set<String>] = [:]
        var statements: [(date: Instant, token: String)] = []
        for reading in known {
            if let transaction = reading.transaction, let token = transaction.appAccountToken {
                let id = transaction.transactionId ?? ""
                let date = tokens[id] == nil ? transaction.purchaseDate : transaction.signedDate
                if tokens[id, default: []].insert(token).inserted { statements.append((date ?? .latest, token)) }
            }
            if let token = reading.renewalInfo?.appAccountToken { statements.append((reading.renewalInfoDate, token)) }
        }
        return statements.filter { $0.date <= instant }.max { $0.date < $1.date }?.token
    }
}

extension Reading {
    /// The signing time of the renewal info, which a retry repeats from the first posting.
    fileprivate var renewalInfoDate: Instant { renewalInfo?.signedDate ?? .latest }
}
