import AppStoreModel
package import AppStoreVerification
package import EventLog
package import FactStore
package import LedgerModel
import LedgerStorage
import Primitives

/// Decodes facts from evidence, both when an event is drafted and when it is read from the log.
package enum EventDecoder {
    /// - Parameter bundleId: the app of a single renewal info, which does not state it.
    package static func facts(of artifact: StoredArtifact, bundleId: String?) -> EventFacts {
        // The facts are stored with their record, which contains the position and the time.
        let translation = Translation(position: 0, recordedAt: .earliest)
        switch artifact {
        case .notification(let notification):
            return EventFacts(
                translation.notification(
                    signed(notification.outer), transaction: notification.transaction.map(signed),
                    renewalInfo: notification.renewalInfo.map(signed),
                    appTransaction: notification.appTransaction.map(signed)))
        case .transaction(let transaction):
            return EventFacts(translation.transaction(signed(transaction)))
        case .renewalInfo(let renewalInfo):
            return EventFacts(bundleId.map { translation.renewalInfo(signed(renewalInfo), bundleId: $0) } ?? [])
        case .appTransaction(let appTransaction):
            return EventFacts(translation.appTransaction(signed(appTransaction)))
        case .receipt(let receipt):
            return EventFacts(translation.receipt(SignedPayload(receipt.receipt, digest: receipt.content)))
        }
    }

    static func signed<Payload>(_ stored: StoredJWS<Payload>) -> SignedPayload<Payload> {
        SignedPayload(stored.payload, digest: stored.signingInput)
    }

    /// Decodes the facts of a stored event.
    /// - Throws: `log_corrupt` when the evidence of a known artifact cannot be read.
    package static func indexedFacts(_ record: Record, _ evidence: EventEvidence) throws -> IndexedFacts {
        switch record.kind {
        case .actRequested: return ActEvents.indexed(record)
        case .rulesActivated: return RulesEvents.indexed
        case .catalogChanged: return CatalogEvents.indexed
        case .ratesChanged: return RatesEvents.indexed
        case .numbersClosed: return CloseEvents.indexed
        default: break
        }
        return try facts(record, evidence).map { IndexedFacts($0) } ?? .none
    }

    /// Returns the facts of a stored event; nil for an event without facts. Those of erased evidence come from the residue.
    package static func facts(_ record: Record, _ evidence: EventEvidence) throws -> EventFacts? {
        switch evidence {
        case .verbatim(let bytes): try facts(record, bytes)
        case .erased(let erased): try facts(record, erased)
        }
    }

    private static func facts(_ record: Record, _ erased: ErasedEvidence) throws -> EventFacts? {
        // The erasure of a customer stays, although its own residue moved to a later one.
        if let fact = ErasureEvents.fact(in: record) { return EventFacts(fact) }
        let facts = try residue(of: record, erased).facts
        return facts.isEmpty ? nil : EventFacts(facts)
    }

    /// Returns the line of the residue about an event.
    /// - Throws: `log_corrupt` when the line cannot be read.
    package static func residue(of record: Record, _ erased: ErasedEvidence) throws -> ResidueLine {
        let line = ResidueLine(erased.residue, position: record.position, recordedAt: record.recordedAt)
        guard let line else {
            throw unreadable(
                record, expected: "a line of the residue at position \(erased.erasedBy)", found: "other text")
        }
        return line
    }

    private static func facts(_ record: Record, _ evidence: [UInt8]) throws -> EventFacts? {
        if let fact = ErasureEvents.fact(in: record) { return EventFacts(fact) }
        if let answer = try AnswerEvents.stored(record, evidence) { return answer.facts }
        if let answer = try VerifyReceiptEvents.stored(record, evidence) { return answer.facts }
        if let notification = try NotificationV1Events.stored(record, evidence) { return notification.facts }
        if let receipt = try TransactionReceiptEvents.stored(record, evidence) { return receipt.facts }
        if let artifact = try artifact(of: record, evidence) {
            return facts(of: artifact, bundleId: bundleId(in: record.body))
        }
        return CustomerEvents.fact(in: record, evidence).map { EventFacts($0) }
    }

    /// Returns the artifact of an event; nil for events whose evidence Apple did not sign as a whole.
    package static func artifact(of record: Record, _ evidence: [UInt8]) throws -> StoredArtifact? {
        guard let kind = ArtifactKind(record.artifact) else { return nil }
        do throws(Refusal) {
            return try StoredArtifact(evidence, kind: kind)
        } catch {
            throw unreadable(record, expected: kind.rawValue, found: error.reason)
        }
    }

    static func unreadable(_ record: Record, expected: String, found: String) -> StorageError {
        StorageError(
            .logCorrupt, "evidence at position \(record.position) cannot be decoded", expected: expected,
            found: found, hint: "Run `subledger audit verify --deep`.")
    }

    static func bundleId(in body: [UInt8]) -> String? {
        try? JSONDocument(parsing: body).root["bundleId"]?.string
    }
}

extension ArtifactKind {
    package init?(_ artifact: ArtifactCode) {
        switch artifact {
        case .notificationV2: self = .notification
        case .transaction: self = .transaction
        case .renewalInfo: self = .renewalInfo
        case .appTransaction: self = .appTransaction
        case .receipt: self = .receipt
        default: return nil
        }
    }
}
