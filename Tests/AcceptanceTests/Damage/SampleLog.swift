import EventLog
import FactStore
import Glibc
import LMDB
import LMDBFileFormat
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Testing

/// A log to damage: a few thousand events of all sizes from concurrent writers. Its trees have several levels, overflow
/// pages and free pages.
struct SampleLog: Sendable {
    let bytes: [UInt8]
    let map: PageMap
    private let temporary: TemporaryFolder
    private let folder: DataFolder

    init(seed: UInt64) throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        var acknowledged = Acknowledgements()
        try WritingProcess(folder, seed: seed, resume: acknowledged.resume, ["--calls", "70"])
            .finish(into: &acknowledged)
        let bytes = try File.read(folder.log + "/data.mdb")
        let walk = PageWalk.run(over: bytes.span.bytes, flags: Self.flags) { _, _, _ in }
        try #require(walk.findings == [])
        let map = try #require(walk.map)
        self.bytes = bytes
        self.map = map
    }

    static func flags(of database: String) -> UInt32? {
        database == "meta" ? 0 : Database.Flags.integerKey.rawValue
    }

    func copy() throws -> DamagedLog { try DamagedLog(of: self, in: folder) }

    func classify(_ offset: Int) -> ByteClass { map.classify(offset, in: bytes.span.bytes) }

    func isLive(_ offset: Int) -> Bool {
        if case .live = classify(offset) { true } else { false }
    }
}

/// A copy of a log whose data file a test changes in place.
final class DamagedLog {
    private let original: SampleLog
    private let temporary: TemporaryFolder
    private let descriptor: Int32
    /// The data files that are derived from the log, as they were.
    private let derived: [String: [UInt8]]
    let folder: DataFolder

    init(of original: SampleLog, in source: DataFolder) throws {
        self.original = original
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        try folder.create()
        mkdir(folder.facts, 0o700)
        try File.write(File.read(source.log + "/data.mdb"), to: folder.log + "/data.mdb")
        var derived: [String: [UInt8]] = [:]
        for path in [\DataFolder.facts, \.identities] as [KeyPath<DataFolder, String>] {
            derived[folder[keyPath: path] + "/data.mdb"] = try File.read(source[keyPath: path] + "/data.mdb")
        }
        for (path, bytes) in derived { try File.write(bytes, to: path) }
        self.derived = derived
        try File.write(File.read(source.checkpointKey), to: folder.checkpointKey)
        chmod(folder.checkpointKey, 0o600)
        descriptor = open(folder.log + "/data.mdb", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Changes one byte while `body` runs. Every process that has the file mapped sees the change.
    func changing<Result>(_ offset: Int, by difference: UInt8, _ body: () throws -> Result) throws -> Result {
        try #require(pwrite(descriptor, [original.bytes[offset] ^ difference], 1, off_t(offset)) == 1)
        defer { pwrite(descriptor, [original.bytes[offset]], 1, off_t(offset)) }
        return try body()
    }

    func audit() throws -> Subledger.DeepAudit { try Subledger.DeepAudit(folder) }

    /// Replaces the contents of the data file. What is derived becomes again as it was: a writer may have added to it.
    func replace(by bytes: [UInt8]) throws {
        for (path, bytes) in derived { try File.write(bytes, to: path) }
        try #require(ftruncate(descriptor, off_t(bytes.count)) == 0)
        try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    /// Opens the log with a writer that appends to it.
    func append(seed: UInt64) throws -> (ending: ChildProcess.Ending, errors: String) {
        let writer = try WritingProcess(folder, seed: seed, resume: "0,0,0,0", ["--calls", "1"])
        writer.child.closeInput()
        _ = writer.child.remainingLines()
        return (writer.child.end(), writer.child.standardError)
    }
}
