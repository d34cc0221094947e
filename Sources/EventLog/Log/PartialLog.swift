import LMDB
import LedgerStorage
package import Primitives
import TransparencyLog

/// Writes a log that has only some events of another log, at their positions there. A `LogReader` then answers about
/// these. It has no tree.
package struct PartialLog {
    private let store: LogStore

    /// - Parameter directory: an empty folder.
    /// - Throws: `StorageError`.
    package init(directory: String, mapSizeBytes: Int) throws {
        var options = Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        try LogStore.makeIfMissing(in: directory, options: options)
        store = try LogStore(directory: directory, options: options)
    }

    /// Appends an event. The positions must ascend.
    /// - Parameter evidence: nil for evidence that is not known.
    package func append(_ record: Record, evidence: [UInt8]?) throws {
        let bytes = record.bytes
        let stored = bytes + MerkleTree.leafHash(of: bytes).bytes
        try writing { transaction in
            try transaction.put(stored.span.bytes, at: record.position, in: store.records, .append)
            if let evidence, !evidence.isEmpty {
                let packed = [EvidencePacker.rawVersion] + evidence
                try transaction.put(packed.span.bytes, at: record.position, in: store.evidence, .append)
            }
        }
    }

    /// Sets the number of events of the other log that are known. An event without content stands at the end if the last
    /// one is not known.
    package func finish(size: UInt64, recordedAt: Instant, isLastKnown: Bool) throws {
        if !isLastKnown {
            let end = Record(
                position: size - 1, kind: EventKind(rawValue: 0), source: .operator, environment: .none,
                artifact: .none, trust: .own, flags: [], recordedAt: recordedAt, idempotencyKey: IdempotencyKey(0),
                evidenceDigest: .zero, evidenceLength: 0, verifiedAt: recordedAt, leafCertificate: .zero,
                rootCertificate: .zero, body: [])
            try append(end, evidence: nil)
        }
        let head = TreeHead(size: size, root: .zero).bytes
        try writing { transaction in
            try transaction.put(head.span.bytes, at: MetaKey.head.span.bytes, in: store.meta)
        }
    }

    private func writing(_ body: (inout WriteTransaction) throws -> Void) throws {
        do {
            try store.environment.write(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "writing a partial log failed")
        }
    }
}
