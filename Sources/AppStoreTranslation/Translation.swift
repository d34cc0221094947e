package import AppStoreModel
package import LedgerModel
package import Primitives

/// Turns the verified payloads of one event into observations.
///
/// What names no key (a test notification, a summary) or no time gives none: nothing could be asked of it. A nested
/// JWS is named by its own signing input, so posted alone it is the same observation.
package struct Translation: Sendable {
    /// Of the event that carries the payloads.
    package let position: Position
    /// Of the same event.
    package let recordedAt: Instant

    package init(position: Position, recordedAt: Instant) {
        self.position = position
        self.recordedAt = recordedAt
    }

    package func transaction(_ transaction: SignedPayload<Transaction>) -> [FiledObservation] {
        guard let key = transaction.payload.subscriptionKey, let fact = TransactionFact(transaction.payload) else {
            return []
        }
        return file(.transaction(fact), under: .subscription(key), transaction.digest, transaction.payload.signedDate)
    }

    /// - Parameter bundleId: of the sibling transaction or the app configured, since renewal info names none.
    package func renewalInfo(_ renewalInfo: SignedPayload<RenewalInfo>, bundleId: String) -> [FiledObservation] {
        guard let key = renewalInfo.payload.subscriptionKey(bundleId: bundleId) else { return [] }
        return file(
            .renewal(RenewalFact(renewalInfo.payload)), under: .subscription(key), renewalInfo.digest,
            renewalInfo.payload.signedDate)
    }

    /// - Parameter customer: whom it was posted for, which files it when it names no app account itself.
    package func appTransaction(
        _ appTransaction: SignedPayload<AppTransaction>, customer: CustomerHandle? = nil
    ) -> [FiledObservation] {
        guard let key = appTransaction.payload.appAccountKey(customer: customer) else { return [] }
        return file(
            .app(AppFact(appTransaction.payload)), under: .appAccount(key), appTransaction.digest,
            appTransaction.payload.receiptCreationDate)
    }

    /// The notification's own observation, filed where what it carries is filed, and the observations of what it
    /// carries.
    package func notification(
        _ notification: SignedPayload<Notification>, transaction: SignedPayload<Transaction>? = nil,
        renewalInfo: SignedPayload<RenewalInfo>? = nil, appTransaction: SignedPayload<AppTransaction>? = nil
    ) -> [FiledObservation] {
        let bundleId = transaction?.payload.bundleId ?? notification.payload.bundleId
        var carried = transaction.map(self.transaction) ?? []
        if let renewalInfo, let bundleId { carried += self.renewalInfo(renewalInfo, bundleId: bundleId) }
        if let appTransaction { carried += self.appTransaction(appTransaction) }
        guard let key = carried.first?.key else { return [] }

        var fact = NotificationFact(notification.payload)
        fact.signedTransactionInfo = transaction?.digest
        fact.signedRenewalInfo = renewalInfo?.digest
        fact.signedAppTransactionInfo = appTransaction?.digest
        return file(.notification(fact), under: key, notification.digest, notification.payload.signedDate) + carried
    }

    private func file(
        _ fact: Fact, under key: TimelineKey, _ digest: Digest, _ time: Instant?
    ) -> [FiledObservation] {
        guard let time else { return [] }
        let source = Source(
            name: ObservationName(digest: digest), time: time, rank: .jws, position: position, recordedAt: recordedAt)
        return [FiledObservation(key: key, observation: Observation(source: source, fact: fact))]
    }
}
