import EventLog
import FoundationEssentials
import Glibc
import LedgerStorage
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

private func mode(of path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
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
        let text = String(
            decoding: try #require(try AtomicFile.read(folder.checkpointKey, limit: 4_096)), as: UTF8.self)
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
            let error = #expect(throws: StorageError.self) { _ = try load(folder, origin) }
            #expect(error?.code == .ioError)
        }
    }

    @Test func `of another log is refused`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        _ = try CheckpointKey.loadOrMake(in: folder, origin: origin)
        let error = #expect(throws: StorageError.self) {
            _ = try CheckpointKey.loadOrMake(in: folder, origin: "subledger.invalid/76543210")
        }
        #expect(error?.code == .ioError && error?.found == origin)
    }

    @Test(arguments: [
        "", "PRIVATE+KEY+subledger.invalid/01234567+00000000+AAAA\n", String(repeating: "A", count: 5_000),
    ])
    func `of another form is refused, and the error contains nothing of it`(text: String) throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        try AtomicFile.write(Array(text.utf8), to: folder.checkpointKey)
        let error = #expect(throws: StorageError.self) { _ = try CheckpointKey.loadOrMake(in: folder, origin: origin) }
        #expect(error?.code == .ioError)
        #expect(!"\(try #require(error))".contains("AAAA"))
    }
}
