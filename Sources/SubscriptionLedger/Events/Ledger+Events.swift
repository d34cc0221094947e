import EventLog
package import Primitives
import ProjectionRuntime

extension Ledger {
    /// An event as `log show` and `/v1/events` tell it; nil beyond the head.
    /// - Parameter facts: adds what the event says, decoded from its evidence.
    package func event(at position: UInt64, facts: Bool) throws -> JSONValue? {
        guard let record = try log.record(at: position) else { return nil }
        var members = Self.members(of: record)
        if facts, let evidence = try log.evidence(at: position) {
            let derived = try Derivation.event(record, evidence)
            let observations =
                EventFacts(
                    bytes: derived.facts, position: position, recordedAt: record.recordedAt)?.observations ?? []
            members.append(.init("facts", .array(observations.map(FactDescription.json))))
        }
        return .object(members)
    }

    private static func members(of record: Record) -> [JSONValue.Member] {
        [
            .init("position", .integer(Int64(record.position))),
            .init("kind", .string(record.kind.name)),
            .init("source", .string(record.source.name)),
            .init("environment", JSONValue(record.environment.name)),
            .init("trust", .string(record.trust.name)),
            .init("recordedAt", JSONValue(record.recordedAt)),
            .init("identity", .string(record.identity.hex)),
            .init(
                "evidence",
                .object([
                    "artifact": .string(record.artifact.name), "bytes": .integer(Int64(record.evidenceLength)),
                    "sha256": record.evidenceLength == 0 ? .null : .string(record.evidenceDigest.hex),
                ])),
            .init(
                "verification",
                .object([
                    // The ledger's own events rest on no signature.
                    "at": record.trust == .own ? .null : JSONValue(record.verifiedAt),
                    "leaf": record.leafCertificate == .zero ? .null : .string(record.leafCertificate.hex),
                    "root": record.rootCertificate == .zero ? .null : .string(record.rootCertificate.hex),
                    "configuredRoot": .bool(record.flags.contains(.configuredRoot)),
                ])),
            .init("body", .verbatim(record.body)),
        ]
    }

    /// What `log stat` says.
    /// - Complexity: O(n): kinds are counted from the records.
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
                "derived": .integer(DataFolder.bytesOnDisk(in: folder.derived)),
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
