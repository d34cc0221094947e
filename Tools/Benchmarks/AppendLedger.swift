import EventLog
import FactStore
import FoundationEssentials
import Glibc
import LedgerStorage
import Primitives
import SubscriptionLedger

/// A ledger for appends, and events of the size of a packed notification.
struct AppendLedger: Sendable {
    static let largeSize: UInt64 = 10_000_000
    /// Packed evidence of a notification takes about half a kilobyte.
    static let evidenceByteCount = 480

    let ledger: LedgerWriter
    private let folder: TemporaryFolder?

    /// Creates a ledger without events.
    static func empty() throws -> AppendLedger {
        let folder = try TemporaryFolder()
        return AppendLedger(ledger: try open(folder.path), folder: folder)
    }

    /// Opens a ledger of ten million events, created once and kept under `.build/`.
    static func large(_ progress: Progress) async throws -> AppendLedger {
        let path = URL(filePath: ".build/benchmarks/ten-million").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let ledger = AppendLedger(ledger: try open(path), folder: nil)
        var size = try ledger.ledger.reader.log.size()
        while size < largeSize {
            progress.report("making a ledger of 10 million events: \(size)")
            _ = try await ledger.append(batches: 100, of: 1_000, seed: size)
            size = try ledger.ledger.reader.log.size()
            while ledger.ledger.reader.facts.lag > 131_072 { try await Task.sleep(for: .milliseconds(50)) }
        }
        while ledger.ledger.reader.facts.lag > 0 { try await Task.sleep(for: .milliseconds(50)) }
        return ledger
    }

    /// Returns the folder of that ledger after closing it. The environments close with the last reference.
    static func largeFolder(_ progress: Progress) async throws -> DataFolder {
        let ledger = try await large(progress)
        ledger.close()
        return ledger.ledger.configuration.folder
    }

    static func open(_ path: String) throws -> LedgerWriter {
        try LedgerWriter(
            Ledger.Configuration(
                folder: DataFolder(path: path), clock: { Instant(milliseconds: 1_700_000_000_000) }))
    }

    /// Appends batches one after the other, each in its own transaction. Returns events per second.
    func append(batches: Int, of count: Int, seed: UInt64) async throws -> Double {
        let batches = (0..<batches).map { batch in events(count, seed: seed &+ UInt64(batch) << 32) }
        let start = ContinuousClock.now
        for batch in batches { _ = try await ledger.log.append(batch) }
        return Double(batches.count * count) / (ContinuousClock.now - start).seconds
    }

    /// Appends from concurrent writers that each append one event at a time and wait. Returns events per second.
    func append(writers: Int, each count: Int, seed: UInt64) async throws -> Double {
        let work = (0..<writers).map { events(count, seed: seed &+ UInt64($0) << 32) }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for events in work {
                group.addTask {
                    for event in events { _ = try await ledger.log.append([event]) }
                }
            }
            try await group.waitForAll()
        }
        return Double(writers * count) / (ContinuousClock.now - start).seconds
    }

    private func events(_ count: Int, seed: UInt64) -> [PreparedEvent] {
        (0..<count).map { index in
            // Distinct, and as incompressible as signatures.
            var generator = SplitMix(state: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
            let bytes = (0..<Self.evidenceByteCount / 8).flatMap { _ in
                withUnsafeBytes(of: generator.next()) { Array($0) }
            }
            let evidence = Evidence(bytes: bytes)
            return ledger.log.prepare(
                EventDraft(
                    kind: .notificationReceived, source: .http, environment: .production, artifact: .none, trust: .own,
                    idempotencyKey: IdempotencyKey(
                        artifact: .none, environment: .production, key: evidence.digest.bytes),
                    evidence: evidence, verifiedAt: .earliest,
                    body: Array(#"{"notificationUUID":"00000000-0000-0000-0000-000000000000"}"#.utf8)))
        }
    }

    func close() { ledger.close() }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}

/// The limit of the disk: pwrite and fdatasync of as many bytes, one group of events at a time.
struct DiskLimit {
    /// A record with its 59-byte body, its leaf hash, its packed evidence, and the LMDB overhead of the two nodes.
    static let bytesAnEvent =
        Record.fixedByteCount + 59 + Digest.byteCount + AppendLedger.evidenceByteCount + 1 + 2 * 16

    /// Returns events per second, and the duration of a sync.
    static func rate(groups: Int, of events: Int) throws -> (rate: Double, syncMicroseconds: Double) {
        let folder = try TemporaryFolder()
        let file = open(folder.path + "/limit", O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { throw BenchmarkFailure("the file for the limit cannot be made") }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0xA5, count: events * bytesAnEvent)
        var offset = 0
        let start = ContinuousClock.now
        for _ in 0..<groups {
            guard pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count, fdatasync(file) == 0 else {
                throw BenchmarkFailure("the file for the limit cannot be written")
            }
            offset += bytes.count
        }
        let seconds = (ContinuousClock.now - start).seconds
        return (Double(groups * events) / seconds, seconds / Double(groups) * 1_000_000)
    }
}
