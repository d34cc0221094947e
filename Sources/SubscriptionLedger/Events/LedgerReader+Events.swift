import AppStoreVerification
import EventLog
import FactStore
import Ingestion
package import LedgerAPI
package import LedgerModel
import LedgerStorage
package import Primitives
package import TransparencyLog

extension LedgerReader {
    /// Returns the event at `position`, as shown by `log show` and `/v1/events`; nil beyond the head.
    /// - Parameter facts: adds the facts decoded from the evidence.
    /// - Throws: `log_corrupt` when the evidence of a known artifact cannot be read.
    package func event(at position: UInt64, facts: Bool) throws -> EventRow? {
        guard let record = try log.record(at: position) else { return nil }
        let evidence = try log.eventEvidence(at: position)
        var row = EventRow(record, evidence, about: EventRow.About(try EventContent(record, evidence: evidence)))
        if facts, let evidence {
            // Positions and times come with the stored form.
            let stored = try EventDecoder.indexedFacts(record, evidence).bytes
            let decoded = EventFacts(bytes: stored, position: position, recordedAt: record.recordedAt)
            row.facts = (decoded?.observations ?? []).map(FactDescription.json)
        }
        return row
    }

    /// Returns the evidence of an event; nil beyond the head and for an event without evidence.
    /// - Throws: `ErasedEvidenceError`; `log_corrupt` when the evidence does not match its digest.
    package func evidence(at position: Position) throws -> VerbatimEvidence? {
        guard let record = try log.record(at: position), record.evidenceLength > 0,
            let evidence = try log.eventEvidence(at: position)
        else { return nil }
        switch evidence {
        case .erased(let erased): throw ErasedEvidenceError(position: position, erasedBy: erased.erasedBy)
        case .verbatim(let bytes):
            return VerbatimEvidence(
                bytes: bytes, digest: record.evidenceDigest, mediaType: Self.mediaType(of: record.artifact))
        }
    }

    private static func mediaType(of artifact: ArtifactCode) -> String? {
        switch artifact {
        case .receipt: "application/pkcs7-mime"
        case .receiptIOS6: "text/plain"
        case .serverAPIAnswer, .verifyReceiptAnswer, .notificationV1, .identifiers: "application/json"
        case .erasureResidue: "application/x-ndjson"
        default: ArtifactKind(artifact) == nil ? nil : "application/jose"
        }
    }

    /// Returns the body of a tile or an entry bundle of the tree over the first `size` events; nil when the tree has no
    /// such tile.
    /// - Precondition: `size` is not above the head.
    package func body(of resource: TileResource, inTreeOf size: Position) throws -> [UInt8]? {
        try log.body(of: resource, inTreeOf: size)
    }

    /// Returns the time at which the newest event was recorded; nil for an empty log.
    package func lastRecordedAt() throws -> Instant? {
        let size = try log.size()
        return size == 0 ? nil : try log.record(at: size - 1)?.recordedAt
    }

    /// Returns the statistics of `log stat`.
    /// - Complexity: O(n), because kinds are counted from the records.
    package func statistics() throws -> JSONValue {
        let folder = configuration.folder
        let head = try log.head()
        var byKind: [EventKind: Int64] = [:]
        try log.forEachRecord { byKind[$0.kind, default: 0] += 1 }
        let first = try log.record(at: 0)
        let last = head.size == 0 ? nil : try log.record(at: head.size - 1)
        let kinds = byKind.sorted { $0.key.rawValue < $1.key.rawValue }
        let quarantine = try Quarantine.measure(folder.quarantine)
        return .object([
            "events": .integer(Int64(head.size)), "firstRecordedAt": JSONValue(first?.recordedAt),
            "lastRecordedAt": JSONValue(last?.recordedAt),
            "byKind": .object(kinds.map { JSONValue.Member($0.key.name, .integer($0.value)) }),
            "bytes": .object([
                "log": .integer(DataFolder.bytesOnDisk(in: folder.log)),
                "derived": .integer(DataFolder.bytesOnDisk(in: folder.facts)),
                "vault": .integer(DataFolder.bytesOnDisk(in: folder.vault)),
            ]),
            "mapSize": .integer(Int64(try log.mapSizeBytes())),
            "tree": .object(["size": .integer(Int64(head.size)), "root": .string(head.root.hex)]),
            "quarantine": .object([
                "items": .integer(Int64(quarantine.items)), "bytes": .integer(Int64(quarantine.bytes)),
            ]),
        ])
    }
}

extension EventRow {
    /// The names of all kinds of events.
    package static var kinds: [String] { EventKind.allNames }

    init(_ record: Record, _ evidence: EventEvidence?, about: About?) {
        self.init(
            position: record.position, kind: record.kind.name, source: record.source.name,
            environment: record.environment.name, trust: record.trust.name, recordedAt: record.recordedAt,
            identity: record.idempotencyKey.hex,
            evidence: Evidence(
                artifact: record.artifact.name, bytes: record.evidenceLength,
                sha256: record.evidenceLength == 0 ? nil : record.evidenceDigest.hex,
                erasedBy: evidence?.erasedBy),
            verification: Verification(
                // The ledger's own events have no signature.
                at: record.trust == .own ? nil : record.verifiedAt,
                leaf: record.leafCertificate == .zero ? nil : record.leafCertificate.hex,
                root: record.rootCertificate == .zero ? nil : record.rootCertificate.hex,
                configuredRoot: record.flags.contains(.configuredRoot)),
            body: record.body, about: about)
    }
}

extension EventEvidence {
    fileprivate var erasedBy: Position? {
        if case .erased(let erased) = self { erased.erasedBy } else { nil }
    }
}

/// A request for evidence that was erased.
package struct ErasedEvidenceError: DiagnosedError, Equatable, Sendable {
    let position: Position
    /// The position of the event that erased it.
    let erasedBy: Position

    package var diagnosis: Diagnosis {
        Diagnosis(
            "evidence_erased", "the evidence of event \(position) was erased", expected: "evidence that is stored",
            found: "an erasure by event \(erasedBy)", hint: "The evidence of event \(erasedBy) has its facts.")
    }
}

/// The verbatim bytes of an event's evidence.
package struct VerbatimEvidence: Sendable {
    package let bytes: [UInt8]
    package let digest: Digest
    /// Nil for bytes of any kind.
    package let mediaType: String?
}
