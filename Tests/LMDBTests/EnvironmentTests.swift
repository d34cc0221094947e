import Glibc
import LMDB
import Synchronization
import Testing

@Suite("An environment")
struct EnvironmentTests {
    @Test func `is created in an empty directory and found again`() throws {
        let directory = try TemporaryDirectory()
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            let database = try environment.openDatabase("a")
            try environment.write { try $0.put([1].bytes, at: [2].bytes, in: database) }
        }
        let environment = try Environment(directory: directory.path, options: .small)
        let database = try environment.openDatabase("a")
        #expect(try environment.read { try $0.get([2].bytes, in: database)?.array } == [1])
        let information = try environment.information()
        #expect(information.mapSizeBytes == 1 << 30)
        #expect(information.maxReaders == 1024)
        #expect(information.lastTransactionID == 2)
        #expect(information.pageSizeBytes == sysconf(Int32(_SC_PAGESIZE)))
        #expect(try directory.read().count >= (information.lastPage + 1) * information.pageSizeBytes)
    }

    @Test func `takes a map of 1 TiB, or a smaller one where there is no room`() async throws {
        let directory = try TemporaryDirectory()
        #expect(try Environment(directory: directory.path).information().mapSizeBytes == 1 << 40)
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            // 32 GiB of address space are enough for a map of 16 GiB, but not for one of 32 GiB.
            var limit = rlimit(rlim_cur: 32 << 30, rlim_max: 32 << 30)
            try #require(setrlimit(Int32(RLIMIT_AS.rawValue), &limit) == 0)
            #expect(try Environment(directory: path).information().mapSizeBytes == 16 << 30)
        }
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
            try #require(setrlimit(Int32(RLIMIT_AS.rawValue), &limit) == 0)
            let error = #expect(throws: LMDBError.self) { try Environment(directory: path) }
            #expect(error?.code == .ENOMEM)
        }
    }

    @Test func `is refused where there is none`() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: LMDBError(.ENOENT, operation: "")) { try Environment(directory: directory.path + "/absent") }
        var options = Environment.Options.small
        options.readOnly = true
        #expect(throws: LMDBError(.ENOENT, operation: "")) {
            try Environment(directory: directory.path, options: options)
        }
    }

    @Test func `that outlives its directory is not taken, while it closes, for one just made`() throws {
        // File systems reuse the inode numbers of removed files. There are more threads than cores, so that one is
        // interrupted after closing its files and before it has finished.
        let failures = Mutex<[String]>([])
        try onThreads(16) {
            do {
                for _ in 0..<400 {
                    let directory = try TemporaryDirectory()
                    let environment = try Environment(directory: directory.path, options: .small)
                    withExtendedLifetime(environment) { directory.remove() }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test func `is refused a second time in one process, however its path is spelled`() throws {
        let directory = try TemporaryDirectory()
        let first = try Environment(directory: directory.path, options: .small)
        #expect(throws: LMDBError(.EBUSY, operation: "")) {
            try Environment(directory: directory.path + "/.", options: .small)
        }
        _ = first.directory
    }

    @Test func `opened for reading creates and changes nothing`() throws {
        let directory = try TemporaryDirectory()
        do { _ = try Environment(directory: directory.path, options: .small).openDatabase("a") }
        let before = try directory.read()
        do {
            var options = Environment.Options.small
            options.readOnly = true
            let environment = try Environment(directory: directory.path, options: options)
            #expect(throws: LMDBError(.EACCES, operation: "")) { _ = try environment.beginWrite() }
            #expect(throws: LMDBError(.MDB_NOTFOUND, operation: "")) { try environment.openDatabase("b") }
            let database = try environment.openDatabase("a")
            #expect(try environment.read { try $0.statistics(of: database).entries } == 0)
        }
        #expect(try directory.read() == before)
    }

    @Test func `keeps a database to the flags it was created with`() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        let database = try environment.openDatabase("a", flags: .integerKey)
        #expect(try environment.openDatabase("a", flags: .integerKey) == database)
        #expect(throws: LMDBError(.MDB_INCOMPATIBLE, operation: "")) { try environment.openDatabase("a") }
    }

    @Test func `has no more databases than it was opened for`() throws {
        let directory = try TemporaryDirectory()
        var options = Environment.Options.small
        options.maxDatabases = 2
        let environment = try Environment(directory: directory.path, options: options)
        for name in ["a", "b"] { _ = try environment.openDatabase(name) }
        #expect(throws: LMDBError(.MDB_DBS_FULL, operation: "")) { try environment.openDatabase("c") }
    }

    @Test func `has no more readers than it was opened for, and room again when one ends`() throws {
        let directory = try TemporaryDirectory()
        var options = Environment.Options.small
        options.maxReaders = 1
        let environment = try Environment(directory: directory.path, options: options)
        do {
            let reader = try environment.beginRead()
            #expect(throws: LMDBError(.MDB_READERS_FULL, operation: "")) { try environment.read { _ in } }
            _ = reader.id
        }
        try environment.read { _ in }
    }

    @Test func `frees the slots of readers that were killed`() async throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        let database = try environment.openDatabase("a")
        #expect(try environment.clearStaleReaders() == 0)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
            let environment = try Environment(directory: path, options: .small)
            let reader = try environment.beginRead()
            let another = try environment.beginRead()
            kill(getpid(), SIGKILL)
            _ = (reader.id, another.id)
        }
        func churn() throws -> Int {
            for round in 0..<100 {
                let value = [UInt8](repeating: UInt8(round), count: 1_000)
                try environment.write { try $0.put(value.bytes, at: [1].bytes, in: database) }
            }
            return try environment.information().lastPage
        }
        let grown = try churn()
        #expect(try churn() > grown, "a dead reader keeps the pages of its snapshot")
        #expect(try environment.clearStaleReaders() == 2)
        let cleared = try churn()
        #expect(try churn() == cleared)
    }

    @Test func `leaves its file as it is when it is opened to write`() throws {
        let directory = try TemporaryDirectory()
        func opened() throws -> (Environment, Database) {
            let environment = try Environment(directory: directory.path, options: .small)
            return (environment, try environment.openDatabase("a"))
        }
        do {
            let (environment, database) = try opened()
            try environment.write { try $0.put([1].bytes, at: [2].bytes, in: database) }
        }
        let before = try directory.read()
        let (environment, database) = try opened()
        #expect(try directory.read() == before)
        try environment.write { try $0.put([3].bytes, at: [4].bytes, in: database) }
        #expect(try environment.read { try $0.get([2].bytes, in: database)?.array } == [1])
    }
}

private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) throws {
    final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let threads = try (0..<count).map { _ in
        var thread = pthread_t()
        // The new thread takes ownership.
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            {
                if let work = $0 { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work)
        try #require(result == 0)
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}
