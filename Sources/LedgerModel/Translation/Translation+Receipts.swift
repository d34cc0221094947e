package import AppStoreModel
package import Primitives

extension Translation {
    /// Returns the purchases in a receipt, each in the timeline of its originalTransactionId, and the first download of
    /// the app, observed at the creation of the receipt. Nothing without a creation date, a bundle id or an environment.
    package func receipt(_ receipt: SignedPayload<AppReceipt>) -> [KeyedObservation] {
        guard let environment = receipt.payload.environment, let bundleId = receipt.payload.bundleId,
            let time = receipt.payload.receiptCreationDate
        else { return [] }
        let (rows, unreadable) = receipt.payload.purchases
        let purchases = rows.enumerated().map { ($0, AppleID($1.originalTransactionId), $1) }
        // Testers share the sandbox's devices, and with them receipts.
        let companion = environment == .production ? Self.companion(of: purchases.map(\.1)) : nil
        return purchases.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map { index, id, purchase in
            let key = SubscriptionKey(environment: environment, bundle: Symbol(bundleId), originalTransaction: id)
            let source = Source(
                name: ObservationName(digest: receipt.digest, path: Symbol("in_app/\(index)")), time: time,
                rank: .receiptFile, position: position, recordedAt: recordedAt)
            var fact = TransactionFact(purchase)
            fact.companion = companion
            fact.isOfFullHistory = unreadable == 0
            return KeyedObservation(
                key: .subscription(key), observation: Observation(source: source, fact: .transaction(fact)))
        }
            + download(
                FirstDownload(receipt.payload), environment, bundleId,
                Source(
                    name: ObservationName(digest: receipt.digest), time: time, rank: .receiptFile, position: position,
                    recordedAt: recordedAt))
    }

    /// Returns the observation that a receipt of iOS 6 was received; none without an originalTransactionId.
    /// - Parameters:
    ///   - digest: that of the receipt.
    ///   - time: the ledger's clock. The receipt proves no time.
    package func transactionReceipt(
        _ receipt: TransactionReceipt, digest: Digest, environment: Environment, bundleId: String, at time: Instant
    ) -> [KeyedObservation] {
        guard let id = receipt.originalTransactionId else { return [] }
        return [
            observation(
                .notification(NotificationFact()), of: id, "",
                UnsignedStatement(digest: digest, environment: environment, bundleId: bundleId), time,
                .transactionReceipt)
        ]
    }

    /// Returns the observation of the first download of an app; none where it identifies nothing.
    func download(
        _ download: FirstDownload, _ environment: Environment, _ bundleId: String, _ source: Source
    ) -> [KeyedObservation] {
        let account = AppAccountKey.Account(
            firstDownloadAt: download.originalPurchaseDate, version: download.originalApplicationVersion,
            in: environment)
        guard let account else { return [] }
        return [
            KeyedObservation(
                key: .appAccount(AppAccountKey(environment: environment, bundleId: bundleId, account: account)),
                observation: Observation(source: source, fact: .app(AppFact(download))))
        ]
    }

    /// Returns the least of several keys; nil when there are fewer than two.
    static func companion(of ids: [AppleID]) -> AppleID? {
        guard let least = ids.min(), ids.contains(where: { $0 != least }) else { return nil }
        return least
    }
}
