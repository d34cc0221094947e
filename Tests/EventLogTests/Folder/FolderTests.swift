import EventLog
import FoundationEssentials
import Glibc
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
        let error = #expect(throws: EventLogError.self) { try DataFolder(path: "/dev/null/data").create() }
        #expect(error?.code == .ioError)
    }
}

@Suite struct `The folder's lock` {
    @Test func `is one writer's, who is named to the others`() async throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let (path, pid) = (folder.path, Int(getpid()))
        let lock = try FolderLock(folder)
        let error = #expect(throws: EventLogError.self) { _ = try FolderLock(folder) }
        #expect(error?.code == .locked && error?.found == "process \(pid)")
        await #expect(processExitsWith: .success) { [path = path as String, pid = pid as Int] in
            let error = #expect(throws: EventLogError.self) { _ = try FolderLock(DataFolder(path: path)) }
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

    /// A descriptor closed twice is soon somebody else's.
    @Test func `that is refused closes its descriptor once`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let lock = try FolderLock(folder)
        let count = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<100 { #expect(throws: EventLogError.self) { _ = try FolderLock(folder) } }
        // Other tests open and close files of their own meanwhile, though not by the hundred.
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < count + 50)
        withExtendedLifetime(lock) {}
    }
}

@Suite struct `The checkpoint key` {
    private let origin = "subledger.invalid/01234567"

    @Test func `is made once, for its owner alone`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        #expect(try CheckpointKey.load(from: folder, origin: origin) == nil)
        let signer = try CheckpointKey.loadOrMake(in: folder, origin: origin)
        #expect(try mode(of: folder.checkpointKey) == 0o600)
        #expect(signer.verifier.key.name == origin)
        let again = try CheckpointKey.loadOrMake(in: folder, origin: origin)
        #expect(again.secretText == signer.secretText)
        let text = String(decoding: try #require(try SmallFile.read(folder.checkpointKey, limit: 4_096)), as: UTF8.self)
        #expect(text == signer.secretText + "\n")
        #expect(text.hasPrefix("PRIVATE+KEY+\(origin)+"))
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o610, 0o601, 0o777] as [mode_t])
    func `that others may read is refused`(mode: mode_t) throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        _ = try CheckpointKey.loadOrMake(in: folder, origin: origin)
        try #require(chmod(folder.checkpointKey, mode) == 0)
        for load in [
            CheckpointKey.loadOrMake(in:origin:), { try #require(try CheckpointKey.load(from: $0, origin: $1)) },
        ] {
            let error = #expect(throws: EventLogError.self) { _ = try load(folder, origin) }
            #expect(error?.code == .ioError)
        }
    }

    @Test func `of another log is refused`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        _ = try CheckpointKey.loadOrMake(in: folder, origin: origin)
        let error = #expect(throws: EventLogError.self) {
            _ = try CheckpointKey.loadOrMake(in: folder, origin: "subledger.invalid/76543210")
        }
        #expect(error?.code == .ioError && error?.found == origin)
    }

    @Test(arguments: [
        "", "PRIVATE+KEY+subledger.invalid/01234567+00000000+AAAA\n", String(repeating: "A", count: 5_000),
    ])
    func `that is none is refused, and nothing of it is told`(text: String) throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        try SmallFile.write(Array(text.utf8), to: folder.checkpointKey)
        let error = #expect(throws: EventLogError.self) { _ = try CheckpointKey.loadOrMake(in: folder, origin: origin) }
        #expect(error?.code == .ioError)
        #expect(!"\(try #require(error))".contains("AAAA"))
    }
}

@Suite struct `A small file` {
    @Test func `is read as it was written, for its owner alone`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        #expect(try SmallFile.read(path, limit: 10) == nil)
        for bytes in [Array("one".utf8), [], Array("longer than one".utf8)] {
            try SmallFile.write(bytes, to: path)
            #expect(try SmallFile.read(path, limit: 100) == bytes)
        }
        #expect(try mode(of: path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["file"])
    }

    @Test func `longer than its limit is refused`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try SmallFile.write([1, 2, 3], to: path)
        #expect(try SmallFile.read(path, limit: 3) == [1, 2, 3])
        let error = #expect(throws: EventLogError.self) { _ = try SmallFile.read(path, limit: 2) }
        #expect(error?.code == .ioError)
    }

    @Test func `stays what it was when the new one cannot be written`() async throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try SmallFile.write(Array("old".utf8), to: path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 5, rlim_max: .max)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let error = #expect(throws: EventLogError.self) { try SmallFile.write(Array("newer".utf8) + [0], to: path) }
            #expect(error?.code == .diskFull)
        }
        #expect(try SmallFile.read(path, limit: 100) == Array("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["file"])
    }

    @Test func `that was left half written is written anew`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/file"
        try Data("half, and longer than the rest".utf8).write(to: URL(fileURLWithPath: path + ".partial"))
        try SmallFile.write(Array("whole".utf8), to: path)
        #expect(try SmallFile.read(path, limit: 100) == Array("whole".utf8))
    }
}
