package import AppStoreModel
import AppStoreVerification
package import EventLog
package import FactStore
import LedgerModel
import Primitives

/// Encodes and decodes the events that record notifications of version 1. The evidence has no password.
package enum NotificationV1Events {
    /// A notification read back from the log.
    package struct Stored: Sendable {
        package let notification: NotificationV1
        let receipt: StoredArtifact?
        let origin: Origin
        let key: IdempotencyKey

        package var bundleId: String { origin.bundleId }

        /// The receipt in it, in base64; nil without one that was accepted.
        package var acceptedReceipt: [UInt8]? {
            receipt == nil ? nil : notification.latestReceipt.map { Array($0.utf8) }
        }

        package var facts: EventFacts { NotificationV1Events.facts(of: notification, receipt, origin) }

        package func hasIdempotencyKey(_ key: IdempotencyKey) -> Bool { key == self.key }
    }

    /// The place and time of a notification.
    struct Origin: Sendable {
        let bundleId: String
        let environment: Environment
        let time: Instant
        /// That of the evidence.
        let digest: Digest
    }

    /// - Throws: `claim_missing` for a notification without a date; `from_the_future`.
    static func recorded(
        _ notification: NotificationV1, of bundleId: String, _ environment: Environment, carried: CarriedReceipt,
        trust: TrustClass, source: EventSource, now: Instant
    ) throws(Refusal) -> UnsignedDraft {
        let created = carried.verified?.receipt.payload.receiptCreationDate
        guard let time = created ?? notification.newestDate else {
            throw Refusal(
                .claimMissing, "the notification has no date", expected: "the date of a purchase or change",
                found: "none")
        }
        try SigningTimePolicy.check(time, now: now)
        let bytes = notification.blanked
        let origin = Origin(
            bundleId: bundleId, environment: environment, time: time, digest: Digest.sha256(of: bytes))
        let proof = carried.verified?.proof
        var flags: RecordFlags = notification.document["password"] == nil ? [] : .redacted
        if proof?.isConfiguredRoot == true { flags.insert(.configuredRoot) }
        let code = EnvironmentCode(name: environment.rawValue) ?? .none
        let members: [JSONValue.Member] =
            [
                .init("bundleId", .string(bundleId)), .init("time", .integer(time.milliseconds)),
                .init("notificationType", .string("V1/" + notification.notificationType)),
            ] + carried.members
            + JSONValue.Member.counts(unreadable: notification.unreadable, contradictions: notification.contradictions)
        let facts = facts(of: notification, carried.verified.map { StoredArtifact(.receipt($0)) }, origin)
        let draft = EventDraft(
            kind: .notificationV1Received, source: source, environment: code, artifact: .notificationV1, trust: trust,
            flags: flags, idempotencyKey: notification.idempotencyKey(bundleId, code),
            evidence: Evidence(bytes: bytes, digest: origin.digest), verifiedAt: proof?.verifiedAt ?? now,
            body: JSONValue.object(members).canonical(),
            attachment: IndexedFacts(facts))
        try draft.requireToFit("notification_type")
        return UnsignedDraft(draft: draft, facts: facts)
    }

    /// Returns the notification that an event records; nil for an event of another kind.
    /// - Throws: `log_corrupt` when the body or the evidence cannot be read.
    package static func stored(_ record: Record, _ evidence: [UInt8]) throws -> Stored? {
        guard record.kind == .notificationV1Received else { return nil }
        guard let document = try? JSONDocument(parsing: evidence), let notification = NotificationV1(document.root),
            let body = try? JSONDocument(parsing: record.body).root, let bundleId = body["bundleId"]?.string,
            let time = body["time"]?.integer,
            let environment = record.environment.name.flatMap({ Environment(known: $0) })
        else { throw EventDecoder.unreadable(record, expected: "a notification of version 1", found: "none") }
        let origin = Origin(
            bundleId: bundleId, environment: environment, time: Instant(milliseconds: time),
            digest: record.evidenceDigest)
        do throws(Refusal) {
            return Stored(
                notification: notification, receipt: try CarriedReceipt.stored(notification.latestReceipt, body),
                origin: origin, key: notification.idempotencyKey(bundleId, record.environment))
        } catch {
            throw EventDecoder.unreadable(record, expected: "latest_receipt", found: error.reason)
        }
    }

    private static func facts(
        of notification: NotificationV1, _ receipt: StoredArtifact?, _ origin: Origin
    ) -> EventFacts {
        // The facts are stored with their record, which contains the position and the time.
        let translation = Translation(position: 0, recordedAt: .earliest)
        return EventFacts(
            (receipt.map { EventDecoder.facts(of: $0, bundleId: nil).observations } ?? [])
                + translation.notification(
                    notification, digest: origin.digest, environment: origin.environment, bundleId: origin.bundleId,
                    at: origin.time))
    }
}

extension NotificationV1 {
    /// The key: what Apple repeats when it delivers the notification again. The receipt in it differs each time.
    fileprivate func idempotencyKey(_ bundleId: String, _ environment: EnvironmentCode) -> IdempotencyKey {
        // One body may state several cancellations, and a later one another of the same date.
        let cancelled = rows.compactMap { row in
            row.purchase.cancellationDate.map { "\(row.purchase.transactionId) \($0.milliseconds)" }
        }
        let words: [String?] =
            [
                bundleId, notificationType, originalTransactionId, autoRenewStatus,
                autoRenewStatusChangeDate.map { String($0.milliseconds) }, autoRenewProductId ?? newestRow?.productId,
                newestRow?.transactionId, expirationIntent,
            ] + cancelled.sorted()
        return IdempotencyKey(
            artifact: .notificationV1, environment: environment,
            key: words.flatMap { (word: String?) -> [UInt8] in Array((word ?? "").utf8) + [0] })
    }
}
