import EventLog
import Glibc
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Testing
import TransparencyLog

@Suite("Beside a writer", .serialized)
struct ReaderTests {
    private static func folder() throws -> (TemporaryFolder, DataFolder) {
        let temporary = try TemporaryFolder()
        return (temporary, DataFolder(path: temporary.path + "/data"))
    }

    @Test func `a second one is refused with exit code 3 and the pid of the first`() async throws {
        try await blocking {
            let (temporary, folder) = try Self.folder()
            defer { withExtendedLifetime(temporary) {} }
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(folder, seed: 1, resume: acknowledged.resume)
            try writer.read(into: &acknowledged) { !$0.positions.isEmpty }
            let second = try Subledger(["ingest", "-", "--data", folder.path])
            #expect(second.ending == .exited(3))
            #expect(second.errors.hasPrefix("error[locked]: "), "\(second.errors)")
            #expect(second.errors.contains("process \(writer.child.pid)"), "\(second.errors)")
            writer.child.closeInput()
            try writer.finish(into: &acknowledged)
            // The operating system released the lock when the process ended.
            #expect(try Subledger(["ingest", "-", "--data", folder.path]).ending == .exited(0))
        }
    }

    @Test func `a deep audit finds nothing wrong`() async throws {
        let (temporary, folder) = try Self.folder()
        try await blocking {
            try WritingProcess(folder, seed: 2, resume: Acknowledgements().resume, ["--calls", "5"]).wait()
        }
        try await blocking {
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(folder, seed: 2, resume: acknowledged.resume)
            var audited: [Int] = []
            for _ in 0..<20 {
                let before = acknowledged.positions.count
                try writer.read(into: &acknowledged) { $0.positions.count >= before + 32 }
                let audit = try Subledger.DeepAudit(folder)
                #expect(audit.isSound, "\(audit)")
                audited.append(audit.events)
            }
            writer.child.closeInput()
            try writer.finish(into: &acknowledged)
            #expect(acknowledged.positions.count >= audited.last ?? 0)
            #expect(Set(audited).count > 1, "the log hardly grew between the audits")
        }
        withExtendedLifetime(temporary) {}
    }

    @Test func `a long reader keeps its snapshot and holds nobody up`() async throws {
        try await blocking {
            let (temporary, folder) = try Self.folder()
            defer { withExtendedLifetime(temporary) {} }
            var acknowledged = Acknowledgements()
            try WritingProcess(folder, seed: 3, resume: acknowledged.resume, ["--calls", "5"])
                .finish(into: &acknowledged)
            let reader = try ChildProcess("crash-writer", ["hold", folder.path])
            #expect(reader.nextLine() == "holding \(acknowledged.positions.count)")
            try WritingProcess(folder, seed: 3, resume: acknowledged.resume, ["--calls", "40"])
                .finish(into: &acknowledged)
            reader.closeInput()
            #expect(reader.nextLine() == "same")
            let log = try StoredLog(folder)
            #expect(Int(log.head.size) == acknowledged.positions.count)
            try log.requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
        }
    }
}
