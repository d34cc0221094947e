import Glibc
import LMDB
import LMDBFileFormat
import Testing

@Suite("A full disk")
struct FullDiskTests {
    /// Limits the size of files in the current process, to simulate a full disk.
    private static func limitFiles(to byteCount: rlim_t) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: byteCount, rlim_max: rlim_t.max)
        try #require(setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0)
    }

    @Test func `fails the commit that meets it alone, and the next one succeeds when there is room`() async throws {
        await #expect(processExitsWith: .success) { [path = try TemporaryDirectory.make() as String] in
            let directory = TemporaryDirectory(path: path)
            let value = [UInt8](repeating: 1, count: 10_000)
            var committed: UInt64 = 0
            do {
                let environment = try Environment(directory: path, options: .small)
                let database = try environment.openDatabase("integers", flags: .integerKey)
                // Not a multiple of the page size, so the file ends in a partial page.
                try Self.limitFiles(to: 500_001)
                var failures: [LMDBError.Code] = []
                while failures.count < 2 {
                    do {
                        try environment.write { try $0.put(value.bytes, at: committed, in: database, .append) }
                        committed += 1
                    } catch let error as LMDBError {
                        failures.append(error.code)
                        #expect(try environment.read { try $0.statistics(of: database).entries } == Int(committed))
                    }
                }
                // A full disk results in ENOSPC instead.
                #expect(failures == [.EFBIG, .EFBIG])
                try Self.limitFiles(to: .max)
                try environment.write { try $0.put(value.bytes, at: committed, in: database, .append) }
            }
            let environment = try Environment(directory: path, options: .small)
            let database = try environment.openDatabase("integers", flags: .integerKey)
            #expect(try environment.read { try $0.statistics(of: database).entries } == Int(committed) + 1)
            #expect(PageWalk.contents(of: try directory.read()).walk.findings == [])
        }
    }

    @Test func `leaves a file that opens, though it ends in a part of a page`() async throws {
        await #expect(processExitsWith: .success) { [path = try TemporaryDirectory.make() as String] in
            let directory = TemporaryDirectory(path: path)
            let value = [UInt8](repeating: 1, count: 10_000)
            do {
                let environment = try Environment(directory: path, options: .small)
                let database = try environment.openDatabase("integers", flags: .integerKey)
                try Self.limitFiles(to: 500_001)
                #expect(throws: LMDBError(.EFBIG, operation: "")) {
                    for key in 0..<100 as Range<UInt64> {
                        try environment.write { try $0.put(value.bytes, at: key, in: database) }
                    }
                }
            }
            #expect(try directory.read().count == 500_001)
            #expect(PageWalk.contents(of: try directory.read()).walk.findings == [])
            _ = try Environment(directory: path, options: .small)
        }
    }
}
