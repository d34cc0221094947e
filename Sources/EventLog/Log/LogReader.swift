import LMDB
import LedgerStorage
package import Primitives
package import TransparencyLog

/// The location of a log and its options.
package struct LogConfiguration: Sendable {
    /// The folder of the LMDB environment, which must exist.
    package var directory: String
    package var mapSizeBytes = 1 << 40

    package init(directory: String) {
        self.directory = directory
    }

    func options(readOnly: Bool) -> Environment.Options {
        var options = Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = readOnly
        return options
    }
}

/// Reads the log: an append-only sequence of events with their evidence, and the Merkle tree over it.
///
/// A reader sees every acknowledged event and nothing beyond. Reads run on the caller's thread, on a snapshot, and
/// never wait for the writer.
package final class LogReader: Sendable {
    let core: LogCore
    /// The log's name in checkpoints.
    package let origin: String

    /// Opens the log for reading, beside the process that writes it.
    /// - Parameter origin: the name in checkpoints; nil for the name stored in the log.
    /// - Throws: `log_corrupt`, `version_unknown`, `io_error`.
    package convenience init(_ configuration: LogConfiguration, origin: String? = nil) throws {
        let core = try LogCore(directory: configuration.directory, options: configuration.options(readOnly: true))
        try self.init(core, origin: origin)
    }

    init(_ core: LogCore, origin: String?) throws {
        self.core = core
        let established = try Self.establishedOrigin(core)
        self.origin = origin ?? established
    }

    /// Returns the acknowledged size and root.
    package func head() throws -> TreeHead {
        if let acknowledged = core.acknowledged { return acknowledged }
        let store = try core.store()
        return try reading { try store.head($0) }
    }

    /// Returns the number of acknowledged events.
    package func size() throws -> UInt64 { try head().size }

    func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try core.store().environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the log failed")
        }
    }
}

extension LogReader {
    /// Returns the record at a position; nil beyond the head.
    package func record(at position: UInt64) throws -> Record? {
        guard try position < head().size else { return nil }
        let store = try core.store()
        return try reading { try store.record($0, at: position)?.record }
    }

    /// Returns the verbatim evidence of an event; nil beyond the head and for erased evidence, empty for an event without
    /// evidence.
    /// - Throws: `log_corrupt` when the evidence cannot be restored with its digest.
    package func evidence(at position: UInt64) throws -> [UInt8]? { try eventEvidence(at: position)?.verbatim }

    /// Returns the evidence of an event, or what is kept of erased evidence; nil beyond the head.
    /// - Throws: `log_corrupt` when the evidence cannot be restored with its digest.
    package func eventEvidence(at position: UInt64) throws -> EventEvidence? {
        guard let record = try record(at: position) else { return nil }
        let store = try core.store()
        let evidence = try reading { try store.evidence($0, of: record) { unpack($0, byteCount: $1) } }
        switch evidence {
        case .verbatim(let bytes) where bytes.isEmpty || Digest.sha256(of: bytes) == record.evidenceDigest:
            return evidence
        case .erased: return evidence
        default: throw Self.damagedEvidence(of: record)
        }
    }

    private static func damagedEvidence(of record: Record) -> StorageError {
        StorageError(
            .logCorrupt, "evidence at position \(record.position) fails its digest check",
            expected: "\(record.evidenceLength) bytes with SHA-256 \(record.evidenceDigest)", found: "other content",
            hint: "Run `subledger audit verify --deep`.")
    }

    /// Unpacks evidence. Reads the headers again if the writer has stored more since this process opened the log.
    func unpack(_ packed: [UInt8], byteCount: Int) -> [UInt8]? {
        if let bytes = core.packer.unpack(packed, byteCount: byteCount) { return bytes }
        guard let store = try? core.store(), let texts = try? reading({ try store.headerTexts($0) }),
            texts.count > core.packer.headers.count
        else { return nil }
        return EvidencePacker(headers: HeaderTable(texts: texts)).unpack(packed, byteCount: byteCount)
    }

    /// Calls `body` with the events from a position on, in order. A call reads at most `limit` events in one snapshot,
    /// so that no long reader prevents the reuse of pages.
    ///
    /// - Returns: the next position to read; equal to `position` when there are no more events.
    /// - Throws: `log_corrupt` at the first event that cannot be restored, and any error of `body`.
    package func forEach(
        from position: UInt64, below end: UInt64, limit: Int = 4_096,
        _ body: (Record, EventEvidence) throws -> Void
    ) throws -> UInt64 {
        try forEachStored(from: position, below: end, limit: limit) { stored in
            guard let evidence = stored.evidence else {
                throw StorageError(
                    .logCorrupt, "evidence at position \(stored.record.record.position) fails its digest check",
                    hint: "Run `subledger audit verify --deep`.")
            }
            try body(stored.record.record, evidence)
            return true
        }
    }

    /// Calls `body` with stored events, like `forEach`. `evidence` is nil when it cannot be restored. Stops early when
    /// `body` returns false.
    func forEachStored(
        from position: UInt64, below end: UInt64, limit: Int, _ body: (StoredEvent) throws -> Bool
    ) throws -> UInt64 {
        let store = try core.store()
        let end = min(end, try head().size, position &+ UInt64(limit))
        guard position < end else { return position }
        return try reading { transaction in
            for position in position..<end {
                guard let record = try store.record(transaction, at: position) else {
                    throw StorageError(
                        .logCorrupt, "record at position \(position) is missing",
                        hint: "Run `subledger audit verify --deep`.")
                }
                let evidence = try store.evidence(transaction, of: record.record) { unpack($0, byteCount: $1) }
                guard try body(StoredEvent(record: record, evidence: evidence)) else { return position }
            }
            return end
        }
    }

    func storedHash(level: Int, index: UInt64) throws -> Digest {
        let store = try core.store()
        return try reading { try store.storedHash($0, level: level, index: index) }
    }
}

/// An event as stored, with its evidence unpacked.
struct StoredEvent {
    let record: StoredRecord
    let evidence: EventEvidence?
}

extension LogReader {
    /// Returns the name generated when the log was created.
    private static func establishedOrigin(_ core: LogCore) throws -> String {
        let store = try core.store()
        do {
            let (layout, origin) = try store.environment.read { transaction in
                (try store.layoutVersion(transaction), try store.origin(transaction))
            }
            guard let layout, let origin else {
                throw StorageError(
                    .logCorrupt, "the log header is incomplete",
                    expected: "a layout version and an origin", found: "a missing entry",
                    hint: "Run `subledger audit verify --deep`.")
            }
            guard layout == LogStore.layoutVersion else {
                throw StorageError(
                    .versionUnknown, "unsupported log version", expected: "\(LogStore.layoutVersion)",
                    found: "\(layout)", hint: "Use the version that wrote the log, or a later version.")
            }
            return origin
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the log origin failed")
        }
    }
}

extension LogReader {
    /// Returns the number of events recorded at or before an instant.
    /// - Complexity: O(log n) reads, since recordedAt never decreases.
    package func size(recordedUpTo instant: Instant) throws -> UInt64 {
        var (low, high) = (UInt64(0), try head().size)
        while low < high {
            let middle = low + (high - low) / 2
            guard let record = try record(at: middle), record.recordedAt <= instant else {
                high = middle
                continue
            }
            low = middle + 1
        }
        return low
    }
}

extension LogReader {
    /// Calls `body` with every record, without its evidence.
    package func forEachRecord(_ body: (Record) throws -> Void) throws {
        let store = try core.store()
        let size = try head().size
        for start in stride(from: 0, to: size, by: 65_536) {
            try reading { transaction in
                for position in start..<min(start + 65_536, size) {
                    if let stored = try store.record(transaction, at: position) { try body(stored.record) }
                }
            }
        }
    }

    package func mapSizeBytes() throws -> Int {
        do {
            return try core.store().environment.information().mapSizeBytes
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the log information failed")
        }
    }
}
