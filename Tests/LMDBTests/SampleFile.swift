import Glibc
import LMDB
import LMDBFileFormat
import LedgerTesting

/// The page size of the system, which liblmdb uses.
let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

/// A data file to damage, as written by liblmdb.
struct SampleFile {
    let bytes: [UInt8]
    let names: [String]
    let contents: Contents
    let walk: PageWalk
    let map: PageMap

    init(_ directory: TemporaryDirectory, names: [String]) throws {
        bytes = try directory.read()
        self.names = names
        (walk, contents) = PageWalk.contents(of: bytes)
        guard let map = walk.map, walk.findings.isEmpty else { throw Unsound(findings: walk.findings) }
        self.map = map
    }

    struct Unsound: Error { let findings: [PageWalk.Finding] }

    /// A new file without any commit.
    static func fresh() throws -> SampleFile {
        let directory = try TemporaryDirectory()
        _ = try Environment(directory: directory.path, options: .small)
        return try SampleFile(directory, names: [])
    }

    /// Several databases after a few random transactions, one of them always empty.
    static func random(seed: UInt64) throws -> SampleFile {
        let directory = try TemporaryDirectory()
        let names = ["bytes", "empty", "integers"]
        do {
            var workload = RandomWorkload(seed: seed, names: ["bytes", "integers"], mostChanges: 200, deletions: 20)
            let environment = try Environment(directory: directory.path, options: .small)
            _ = try environment.openDatabases(names)
            for _ in 0..<Int.random(in: 3...8, using: &workload.random) { try workload.step(environment) }
        }
        return try SampleFile(directory, names: names)
    }

    /// A log: records appended at successive positions, enough for branch pages, and an overwritten entry.
    static func appended() throws -> SampleFile {
        let directory = try TemporaryDirectory()
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            let records = try environment.openDatabase("integers", flags: .integerKey)
            let meta = try environment.openDatabase("meta")
            var random = SeededRandom(seed: 1)
            for batch in 0..<6 as Range<UInt64> {
                try environment.write { transaction in
                    for position in batch * 50..<(batch + 1) * 50 {
                        let record = random.bytes(Int.random(in: 150...250, using: &random))
                        try transaction.put(record.bytes, at: position, in: records, .append)
                    }
                    try transaction.put([UInt8](integer: batch).bytes, at: [1, 2, 3].bytes, in: meta)
                }
            }
        }
        return try SampleFile(directory, names: ["integers", "meta"])
    }

    /// A free list with branch pages and a record on overflow pages, grown while a reader was open.
    static func longFreeList() throws -> SampleFile {
        let directory = try TemporaryDirectory()
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            let database = try environment.openDatabase("bytes")
            let large = [UInt8](repeating: 7, count: 3_000_000)
            try environment.write { try $0.put(large.bytes, at: [0].bytes, in: database) }
            try environment.write { _ = try $0.delete([0].bytes, in: database) }
            let reader = try environment.beginRead()
            for round in 0..<300 {
                let value = [UInt8](integer: UInt64(round))
                try environment.write { try $0.put(value.bytes, at: [UInt8(round % 7)].bytes, in: database) }
            }
            _ = reader.id
        }
        return try SampleFile(directory, names: ["bytes"])
    }
}
