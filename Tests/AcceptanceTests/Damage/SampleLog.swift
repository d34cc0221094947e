import EventLog
import Glibc
import LMDB
import Testing

/// A log to damage: some thousand events of all sizes, written by many at once, with trees of several levels, overflow
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
        try WritingProcess(folder, seed: seed, resume: acknowledged.resume, ["--calls", "100"])
            .finish(into: &acknowledged)
        let bytes = try File.read(folder.log + "/data.mdb")
        let walk = PageWalk.run(over: bytes.span.bytes, flags: Self.flags) { _, _, _ in }
        try #require(walk.findings == [])
        let map = try #require(walk.map)
        self.bytes = bytes
        self.map = map
    }

    static func flags(of database: String) -> Database.Flags? {
        database == "meta" ? [] : .integerKey
    }

    /// A copy to damage.
    func copy() throws -> DamagedLog { try DamagedLog(of: self, in: folder) }

    func classify(_ offset: Int) -> ByteClass { map.classify(offset, in: bytes.span.bytes) }

    func isLive(_ offset: Int) -> Bool {
        if case .live = classify(offset) { true } else { false }
    }
}

/// A copy of a log whose data file changes under the eyes of the command.
final class DamagedLog {
    private let original: SampleLog
    private let temporary: TemporaryFolder
    let folder: DataFolder

    init(of original: SampleLog, in source: DataFolder) throws {
        self.original = original
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        try folder.create()
        for file in ["log/data.mdb", "derived/data.mdb", "keys/checkpoint.key"] {
            try File.write(File.read("\(source.path)/\(file)"), to: "\(folder.path)/\(file)")
        }
        chmod(folder.checkpointKey, 0o600)
    }

    var dataFile: String { folder.log + "/data.mdb" }

    /// With one byte changed.
    func audit(changing offset: Int, by difference: UInt8) throws -> Subledger.DeepAudit {
        try File.overwrite([original.bytes[offset] ^ difference], at: offset, of: dataFile)
        defer { try? File.overwrite([original.bytes[offset]], at: offset, of: dataFile) }
        return try Subledger.DeepAudit(folder)
    }

    /// With other bytes altogether.
    func audit(_ bytes: [UInt8]) throws -> Subledger.DeepAudit {
        try File.write(bytes, to: dataFile)
        return try Subledger.DeepAudit(folder)
    }

    /// A writer opens it and appends to it.
    func append(seed: UInt64) throws -> (ending: ChildProcess.Ending, errors: String) {
        let writer = try WritingProcess(folder, seed: seed, resume: "0,0,0,0", ["--calls", "1"])
        writer.child.closeInput()
        _ = writer.child.remainingLines()
        return (writer.child.end(), writer.child.standardError)
    }
}
