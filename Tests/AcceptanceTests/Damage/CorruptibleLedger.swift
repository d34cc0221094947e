import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Glibc
import LMDBFileFormat
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Synchronization
import Testing
import TransparencyLog

/// A ledger to corrupt: verified notifications in a tree of several levels, everything derived from them, a quarantined
/// item and a signed checkpoint. An auditor has kept the checkpoint.
struct CorruptibleLedger: Sendable {
    /// The files by their paths in the data folder.
    let files: [String: [UInt8]]
    /// The page maps of the files of LMDB, without the vault.
    let maps: [String: PageMap]
    /// The checkpoint that the auditor kept.
    let kept: Checkpoint
    /// The files of sound ledgers with a tree that does not contain the kept one. Both are signed by the same key.
    let resigned: [String: [String: [UInt8]]]

    static let dataFile = "data.mdb"
    private static let earlierEvents = 200
    private static let events = 420

    init() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(path: temporary.path + "/data")
        try await Self.ingest(0..<Self.earlierEvents, into: folder)
        try Self.publish(folder)
        let earlier = try Self.files(in: folder.path)
        try await Self.ingest(Self.earlierEvents..<Self.events, into: folder)
        kept = try Self.publish(folder)
        files = try Self.files(in: folder.path)
        maps = try Self.maps(of: files)
        let rewritten = DataFolder(path: temporary.path + "/rewritten")
        try Self.write(earlier, to: rewritten.path)
        try await Self.ingest(Self.events..<(2 * Self.events), into: rewritten)
        // A forger signs a checkpoint of their own; the checkpoint before would prevent nothing.
        unlink(rewritten.checkpoint)
        try Self.publish(rewritten)
        resigned = ["an older tree": earlier, "another history": try Self.files(in: rewritten.path)]
    }

    /// Ingests notifications, and one that is refused. Everything derived is stored.
    private static func ingest(_ numbers: Range<Int>, into folder: DataFolder) async throws {
        // 2015-03-12, in the last period of every subscription: rows are due later.
        let clock = Atomic(Int64(1_426_204_800_000) + Int64(numbers.lowerBound) * 1_000)
        var configuration = Ledger.Configuration(folder: folder) {
            Instant(milliseconds: clock.wrappingAdd(1_000, ordering: .relaxed).newValue)
        }
        configuration.mapSizeBytes = 8 << 30
        configuration.trust.configuredRoots = [
            try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)
        ]
        let ledger = try LedgerWriter(configuration)
        defer { ledger.close() }
        let notifications = BulkNotifications(count: numbers.upperBound)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 20) {
            var checked: [CheckedArtifact] = []
            for number in start..<min(start + 20, numbers.upperBound) {
                checked.append(await ledger.check(notifications[number].jws.compact, source: .http))
            }
            _ = try await ledger.append(checked, source: .http)
        }
        let forged = notifications[numbers.lowerBound].jws.forged.compact
        _ = try await ledger.append([await ledger.check(forged, source: .http)], source: .http)
        try ledger.reader.facts.store()
        try ledger.log.storeKeys()
        try ledger.transitions().advance()
    }

    /// Publishes a checkpoint as `serve` does.
    @discardableResult
    private static func publish(_ folder: DataFolder) throws -> Checkpoint {
        let log = try LogReader(LogConfiguration(directory: folder.log))
        let signer = try #require(try CheckpointKey.load(from: folder, origin: log.origin))
        return try PublishedCheckpoint(of: log, in: folder, signer: signer).renewed().checkpoint
    }
}

// MARK: - Files

extension CorruptibleLedger {
    /// Returns the files that hold anything: not the locks.
    private static func files(in path: String) throws -> [String: [UInt8]] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        var files: [String: [UInt8]] = [:]
        for name in names where !name.hasSuffix("lock.mdb") && !name.hasSuffix("LOCK") {
            // Folders cannot be read.
            files[name] = try? File.read("\(path)/\(name)")
        }
        return files
    }

    static func write(_ files: [String: [UInt8]], to path: String) throws {
        for (name, bytes) in files {
            let folder = "\(path)/\(name)".split(separator: "/").dropLast().joined(separator: "/")
            try FileManager.default.createDirectory(atPath: "/" + folder, withIntermediateDirectories: true)
            try File.write(bytes, to: "\(path)/\(name)")
            chmod("\(path)/\(name)", 0o600)
        }
        chmod(path, 0o700)
    }

    private static func maps(of files: [String: [UInt8]]) throws -> [String: PageMap] {
        var maps: [String: PageMap] = [:]
        var dueRows = 0
        for (name, bytes) in files where name.hasSuffix(dataFile) && !name.hasPrefix("vault/") {
            let walk = PageWalk.run(over: bytes.span.bytes, flags: flags(of:)) { _, database, _ in
                if database == "due" { dueRows += 1 }
            }
            try #require(walk.findings == [], "\(name)")
            maps[name] = walk.map
        }
        try #require(dueRows > 0, "some rows of the feed are due later")
        return maps
    }

    private static func flags(of database: String) -> UInt32? {
        let integerKeys: Set = ["records", "evidence", "headers", "facts", "symbols", "rows"]
        let hasIntegerKeys =
            integerKeys.contains(database) || database.hasPrefix("tree") || database.hasSuffix(".runs")
        return hasIntegerKeys ? 8 : 0
    }

    /// Returns the class of a byte; nil for a byte of a file that LMDB does not manage.
    func classify(_ offset: Int, in name: String) -> ByteClass? {
        guard let bytes = files[name], let map = maps[name] else { return nil }
        return map.classify(offset, in: bytes.span.bytes)
    }
}
