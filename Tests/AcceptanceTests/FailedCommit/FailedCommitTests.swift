import EventLog
import FactStore
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Testing
import TransparencyLog

@Suite("A failed commit", .serialized)
struct FailedCommitTests {
    /// Calls of liblmdb that fail, counted from the start; the first ones open the log. See DiskShim.h. In the last row
    /// the commit is stored nevertheless, and reopening the log fails for more attempts than the writer makes.
    @Test(arguments: [
        "write=20", "sync=20", "meta=20", "meta-kept=20", "meta-stuck=20",
        "meta-full=20", "sync=20,sync=21,sync=22", "write=20,sync=24,meta=27,meta-kept=30,meta-stuck=33",
        "meta-stuck=20,meta=21+3100",
    ])
    func `is answered io_error, loses nothing acknowledged, and its retries make no doubles`(
        failures: String
    ) async throws {
        try await blocking {
            let temporary = try TemporaryFolder()
            let folder = DataFolder(path: temporary.path + "/data")
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(
                folder, seed: TestEnvironment.seed, resume: acknowledged.resume, ["--calls", "20"],
                environment: [
                    "LD_PRELOAD": try ChildProcess.folder() + "/libDiskShim.so", "DISK_SHIM_FOLDER": folder.path,
                    "DISK_SHIM_FAIL": failures,
                ])
            try writer.finish(into: &acknowledged)
            #expect(acknowledged.refusals["io_error", default: 0] > 0)
            #expect(
                Set(acknowledged.refusals.keys).isSubset(of: ["io_error", "busy", "disk_full"]),
                "\(acknowledged.refusals)")
            let audit = try Subledger.DeepAudit(folder)
            #expect(audit.isSound, "\(audit)")
            let log = try StoredLog(folder)
            try log.requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
            #expect(Int(log.head.size) == acknowledged.positions.count)
        }
    }

    /// Earlier calls create and open the folder; the calls after a failure reopen it.
    @Test(
        arguments: [DataFolder(path: "").facts, DataFolder(path: "").identities, DataFolder(path: "").vault].map {
            String($0.dropFirst())
        },
        ["meta=9", "meta-stuck=9", "sync=9", "write=9,meta=12", "meta=9,meta=10,meta=14"])
    func `beside the log is got over as well, and no customer is lost`(part: String, failures: String) async throws {
        try await blocking {
            let temporary = try TemporaryFolder()
            let folder = DataFolder(path: temporary.path + "/data")
            let customers = 12
            let posting = try ChildProcess(
                "crash-writer", ["post", folder.path, "--customers", "\(customers)"],
                environment: [
                    "LD_PRELOAD": try ChildProcess.folder() + "/libDiskShim.so", "DISK_SHIM_FOLDER": folder.path,
                    "DISK_SHIM_PART": part, "DISK_SHIM_FAIL": failures,
                ])
            var lines: [String] = []
            while let line = posting.nextLine() { lines.append(line) }
            #expect(posting.end() == .exited(0), "\(posting.standardError)")
            #expect(lines.last == "customers \(customers)", "\(lines)")
            #expect(lines.contains("! io_error"), "\(lines)")
            #expect(Set(lines.dropLast()).isSubset(of: ["! io_error", "! busy"]), "\(lines)")
            #expect(try Subledger.DeepAudit(folder).isSound)
        }
    }
}
