import FoundationEssentials
import Glibc
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

private func mode(of path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
}

@Suite struct `A ledger's folder` {
    @Test func `is its owner's alone`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        for path in [folder.path, folder.log, folder.derived, folder.vault, folder.keys, folder.quarantine] {
            #expect(try mode(of: path) == 0o700)
        }
        try folder.create()
        #expect(!folder.exists)
    }

    @Test func `that cannot be made is an error`() throws {
        let error = #expect(throws: StorageError.self) { try DataFolder(path: "/dev/null/data").create() }
        #expect(error?.code == .ioError)
    }
}

@Suite struct `The folder's lock` {
    @Test func `is one writer's, who is named to the others`() async throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let (path, pid) = (folder.path, Int(getpid()))
        let lock = try FolderLock(folder)
        let error = #expect(throws: StorageError.self) { _ = try FolderLock(folder) }
        #expect(error?.code == .locked && error?.found == "process \(pid)")
        await #expect(processExitsWith: .success) { [path = path as String, pid = pid as Int] in
            let error = #expect(throws: StorageError.self) { _ = try FolderLock(DataFolder(path: path)) }
            #expect(error?.code == .locked && error?.found == "process \(pid)")
        }
        withExtendedLifetime(lock) {}
    }

    @Test func `is free when its holder is gone, however it went`() async throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        do { _ = try FolderLock(folder) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let lock = try FolderLock(DataFolder(path: path))
            kill(getpid(), SIGKILL)
            withExtendedLifetime(lock) {}
        }
        #expect(throws: Never.self) { _ = try FolderLock(folder) }
    }

    /// Checks that no descriptor leaks. A second close would be wrong too, because it may hit another open file.
    @Test func `that is refused closes its descriptor once`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let lock = try FolderLock(folder)
        let count = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<100 { #expect(throws: StorageError.self) { _ = try FolderLock(folder) } }
        // Other tests open and close files concurrently, but not hundreds of them.
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < count + 50)
        withExtendedLifetime(lock) {}
    }
}

@Suite struct `An atomic file` {
    @Test func `is read as it was written, for its owner alone`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        #expect(try AtomicFile.read(path, limit: 10) == nil)
        for bytes in [Array("one".utf8), [], Array("longer than one".utf8)] {
            try AtomicFile.write(bytes, to: path)
            #expect(try AtomicFile.read(path, limit: 100) == bytes)
        }
        #expect(try mode(of: path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["file"])
    }

    @Test func `longer than its limit is refused`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try AtomicFile.write([1, 2, 3], to: path)
        #expect(try AtomicFile.read(path, limit: 3) == [1, 2, 3])
        let error = #expect(throws: StorageError.self) { _ = try AtomicFile.read(path, limit: 2) }
        #expect(error?.code == .ioError)
    }

    @Test func `stays what it was when the new one cannot be written`() async throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try AtomicFile.write(Array("old".utf8), to: path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 5, rlim_max: .max)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let error = #expect(throws: StorageError.self) { try AtomicFile.write(Array("newer".utf8) + [0], to: path) }
            #expect(error?.code == .diskFull)
        }
        #expect(try AtomicFile.read(path, limit: 100) == Array("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["file"])
    }

    @Test func `that was left half written is replaced`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try Data("half, and longer than the rest".utf8).write(to: URL(fileURLWithPath: path + ".partial"))
        try AtomicFile.write(Array("whole".utf8), to: path)
        #expect(try AtomicFile.read(path, limit: 100) == Array("whole".utf8))
    }
}
