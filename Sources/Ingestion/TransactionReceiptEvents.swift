package import AppStoreModel
import AppStoreVerification
package import EventLog
package import FactStore
package import LedgerModel
package import Primitives

/// Encodes and decodes the events that record receipts of iOS 6. They are tokens for verifyReceipt, and state nothing.
package enum TransactionReceiptEvents {
    /// A receipt read back from the log.
    package struct Stored: Sendable {
        package let receipt: TransactionReceipt
        package let environment: Environment
        package let bundleId: String
        /// The time at which the ledger received it.
        let receivedAt: Instant
        /// That of the property list.
        package let digest: Digest

        /// The subscription whose purchase it states; nil without an originalTransactionId.
        package var key: SubscriptionKey? {
            receipt.originalTransactionId.map {
                SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: $0)
            }
        }

        package var facts: EventFacts {
            // The facts are stored with their record, which contains the position and the time.
            EventFacts(
                Translation(position: 0, recordedAt: .earliest).transactionReceipt(
                    receipt, digest: digest, environment: environment, bundleId: bundleId, at: receivedAt))
        }

        package func hasIdempotencyKey(_ key: IdempotencyKey) -> Bool { key == idempotencyKey }

        fileprivate var idempotencyKey: IdempotencyKey {
            IdempotencyKey(
                artifact: .receiptIOS6, environment: EnvironmentCode(name: environment.rawValue) ?? .none,
                key: digest.bytes)
        }
    }

    /// - Parameter bytes: the property list.
    static func recorded(
        _ receipt: Stored, _ bytes: [UInt8], transactionId: String, source: EventSource
    ) -> EventDraft {
        let members: [JSONValue.Member] = [
            .init("bundleId", .string(receipt.bundleId)),
            .init("originalTransactionId", JSONValue(receipt.receipt.originalTransactionId)),
            .init("transactionId", .string(transactionId)),
        ]
        return EventDraft(
            kind: .transactionReceiptReceived, source: source,
            environment: EnvironmentCode(name: receipt.environment.rawValue) ?? .none, artifact: .receiptIOS6,
            trust: .asserted, idempotencyKey: receipt.idempotencyKey,
            evidence: Evidence(bytes: bytes, digest: receipt.digest), verifiedAt: receipt.receivedAt,
            body: JSONValue.object(members).canonical(), attachment: IndexedFacts(receipt.facts))
    }

    /// Returns the receipt that an event records; nil for an event of another kind.
    /// - Throws: `log_corrupt` when the body or the evidence cannot be read.
    package static func stored(_ record: Record, _ evidence: [UInt8]) throws -> Stored? {
        guard record.kind == .transactionReceiptReceived else { return nil }
        guard let receipt = TransactionReceipt(evidence), let bundleId = EventDecoder.bundleId(in: record.body),
            let environment = record.environment.name.flatMap({ Environment(known: $0) })
        else { throw EventDecoder.unreadable(record, expected: "a receipt of iOS 6", found: "none") }
        return Stored(
            receipt: receipt, environment: environment, bundleId: bundleId, receivedAt: record.verifiedAt,
            digest: record.evidenceDigest)
    }
}

/// A receipt of iOS 6 that can be sent to Apple, and its purchase.
package struct TransactionReceiptDraft: Sendable {
    package let draft: EventDraft
    /// The SHA-256 of the property list.
    package let digest: Digest
    package let key: SubscriptionKey
    package let transactionId: String
}

extension Ingestion {
    /// Drafts the event of a receipt of iOS 6, which does not prove its environment.
    /// - Parameters:
    ///   - bytes: a property list, or base64 of one.
    ///   - found: the environment in which Apple knows the receipt; nil before it was asked.
    /// - Returns: nil for a receipt without the ids of its purchase, of an app that is not configured, or of an
    ///   environment that is not accepted.
    package func draft(
        ofTransactionReceipt bytes: [UInt8], foundIn found: Environment? = nil, from source: EventSource, now: Instant
    ) -> TransactionReceiptDraft? {
        guard let (receipt, plist) = ReceiptContent.transactionReceipt(bytes),
            let bundleId = receipt.bundleId, let transactionId = receipt.transactionId,
            let app = trust.apps.first(where: { $0.bundleId == bundleId }),
            let environment = found ?? Environment(known: receipt.environment ?? Environment.production.rawValue),
            !environment.isLocal, (app.environments ?? trust.environments).contains(environment)
        else { return nil }
        let stored = TransactionReceiptEvents.Stored(
            receipt: receipt, environment: environment, bundleId: bundleId, receivedAt: now,
            digest: .sha256(of: plist))
        guard let key = stored.key else { return nil }
        let draft = TransactionReceiptEvents.recorded(stored, plist, transactionId: transactionId, source: source)
        guard draft.fitsRecord else { return nil }
        return TransactionReceiptDraft(draft: draft, digest: stored.digest, key: key, transactionId: transactionId)
    }
}
