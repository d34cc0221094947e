import EventLog
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite("A log that was rolled back", .serialized)
struct RolledBackLogTests {
    /// The file is sound but older than the ledger's last signed checkpoint.
    @Test func `is below its last signed checkpoint, which a deep audit finds`() async throws {
        try await blocking {
            let temporary = try TemporaryFolder()
            let folder = DataFolder(path: temporary.path + "/data")
            let dataFile = folder.log + "/data.mdb"
            var acknowledged = Acknowledgements()
            func write() throws {
                let resume = acknowledged.resume
                try WritingProcess(folder, seed: 1, resume: resume, ["--calls", "3"]).finish(into: &acknowledged)
            }
            try write()
            let older = try File.read(dataFile)
            let olderSize = acknowledged.positions.count
            try write()
            try Self.publish(folder)
            #expect(try Subledger.DeepAudit(folder).isSound)
            try write()
            #expect(try Subledger.DeepAudit(folder).isSound, "the log may go beyond what it has signed")

            try File.write(older, to: dataFile)
            let audit = try Subledger.DeepAudit(folder)
            guard audit.isRefused, case .structure(let what) = audit.finding else {
                Issue.record("\(audit)")
                return
            }
            #expect(what.hasPrefix("\(olderSize) events, below the "))
            let writer = try WritingProcess(folder, seed: 1, resume: acknowledged.resume, ["--calls", "1"])
            #expect(writer.child.remainingLines() == [])
            #expect(writer.child.end() != .exited(0))
            #expect(writer.child.standardError.contains("log_corrupt"))
        }
    }

    /// Publishes a checkpoint as `serve` does.
    private static func publish(_ folder: DataFolder) throws {
        let log = try LogReader(LogConfiguration(directory: folder.log))
        let signer = try #require(try CheckpointKey.load(from: folder, origin: log.origin))
        _ = try PublishedCheckpoint(of: log, in: folder, signer: signer)
    }
}
