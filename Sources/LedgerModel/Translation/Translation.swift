package import AppStoreModel
package import Primitives

/// Translates the verified payloads of one event into observations.
///
/// A payload without a key (a test notification, a summary) or without a time gives no observation, since no query
/// could find it. A nested JWS is named by its own signing input, so the same JWS posted alone is the same observation.
package struct Translation: Sendable {
    /// The position of the event that carries the payloads.
    package let position: Position
    /// The time the ledger recorded the event.
    package let recordedAt: Instant

    package init(position: Position, recordedAt: Instant) {
        self.position = position
        self.recordedAt = recordedAt
    }

    package func transaction(_ transaction: SignedPayload<Transaction>) -> [KeyedObservation] {
        guard let key = transaction.payload.subscriptionKey, let fact = TransactionFact(transaction.payload) else {
            return []
        }
        return observations(
            of: .transaction(fact), under: .subscription(key), transaction.digest, transaction.payload.signedDate)
    }

    /// - Parameter bundleId: that of the sibling transaction or of the configured app, since a renewal info has none.
    package func renewalInfo(_ renewalInfo: SignedPayload<RenewalInfo>, bundleId: String) -> [KeyedObservation] {
        guard let key = renewalInfo.payload.subscriptionKey(bundleId: bundleId) else { return [] }
        return observations(
            of: .renewal(RenewalFact(renewalInfo.payload)), under: .subscription(key), renewalInfo.digest,
            renewalInfo.payload.signedDate)
    }

    package func appTransaction(_ appTransaction: SignedPayload<AppTransaction>) -> [KeyedObservation] {
        guard let key = appTransaction.payload.appAccountKey else { return [] }
        return observations(
            of: .app(AppFact(appTransaction.payload)), under: .appAccount(key), appTransaction.digest,
            appTransaction.payload.receiptCreationDate)
    }

    /// Returns the notification's own observation, in the timeline of the first carried payload, and the observations
    /// of the carried payloads.
    package func notification(
        _ notification: SignedPayload<Notification>, transaction: SignedPayload<Transaction>? = nil,
        renewalInfo: SignedPayload<RenewalInfo>? = nil, appTransaction: SignedPayload<AppTransaction>? = nil
    ) -> [KeyedObservation] {
        let bundleId = transaction?.payload.bundleId ?? notification.payload.bundleId
        var carried = transaction.map(self.transaction) ?? []
        if let renewalInfo, let bundleId { carried += self.renewalInfo(renewalInfo, bundleId: bundleId) }
        if let appTransaction { carried += self.appTransaction(appTransaction) }
        guard let key = carried.first?.key else { return [] }

        var fact = NotificationFact(notification.payload)
        fact.signedTransactionInfo = transaction?.digest
        fact.signedRenewalInfo = renewalInfo?.digest
        fact.signedAppTransactionInfo = appTransaction?.digest
        return observations(of: .notification(fact), under: key, notification.digest, notification.payload.signedDate)
            + carried
    }

    /// Returns the observation of a status that an answer of Apple states beside signed payloads about the subscription.
    ///
    /// It counts like the status of a notification, at the signedDate of the renewal info, else of the transaction.
    /// Without either, and for another subscription than theirs, it says nothing.
    /// - Parameters:
    ///   - originalTransactionId: the subscription that the answer names.
    ///   - name: the digest of the answer and the place in it.
    ///   - bundleId: the app that Apple was asked about.
    package func status(
        _ status: SubscriptionStatusCode, of originalTransactionId: String, named name: ObservationName,
        transaction: SignedPayload<Transaction>?, renewalInfo: SignedPayload<RenewalInfo>?, bundleId: String
    ) -> [KeyedObservation] {
        guard
            let key = transaction?.payload.subscriptionKey ?? renewalInfo?.payload.subscriptionKey(bundleId: bundleId),
            let time = renewalInfo?.payload.signedDate ?? transaction?.payload.signedDate,
            key.originalTransactionId == originalTransactionId
        else { return [] }
        var fact = NotificationFact()
        fact.status = status
        fact.signedTransactionInfo = transaction?.digest
        fact.signedRenewalInfo = renewalInfo?.digest
        let source = Source(name: name, time: time, rank: .jws, position: position, recordedAt: recordedAt)
        return [
            KeyedObservation(
                key: .subscription(key), observation: Observation(source: source, fact: .notification(fact)))
        ]
    }

    private func observations(
        of fact: Fact, under key: TimelineKey, _ digest: Digest, _ time: Instant?
    ) -> [KeyedObservation] {
        guard let time else { return [] }
        let source = Source(
            name: ObservationName(digest: digest), time: time, rank: .jws, position: position, recordedAt: recordedAt)
        return [KeyedObservation(key: key, observation: Observation(source: source, fact: fact))]
    }
}

/// An observation and the key of its timeline.
package struct KeyedObservation: Hashable, Sendable {
    package let key: TimelineKey
    package let observation: Observation

    package init(key: TimelineKey, observation: Observation) {
        self.key = key
        self.observation = observation
    }
}

/// A verified JWS with the digest that names it.
package struct SignedPayload<Payload: Sendable>: Sendable {
    package let verified: Verified<Payload>
    /// The SHA-256 of the signing input `header.payload`.
    package let digest: Digest

    package init(_ verified: Verified<Payload>, digest: Digest) {
        self.verified = verified
        self.digest = digest
    }

    var payload: Payload { verified.payload }
}
