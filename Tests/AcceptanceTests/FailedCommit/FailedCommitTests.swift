import EventLog
import TestSupport
import Testing

@Suite("A failed commit", .serialized)
struct FailedCommitTests {
    /// Calls of liblmdb that answer EIO, counted from the start: those of opening come first. See DiskShim.h.
    @Test(arguments: [
        "write=20", "sync=20", "meta=20", "meta-kept=20", "meta-stuck=20",
        "sync=20,sync=21,sync=22", "write=20,sync=24,meta=27,meta-kept=30,meta-stuck=33",
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
            #expect(Set(acknowledged.refusals.keys).isSubset(of: ["io_error", "busy"]), "\(acknowledged.refusals)")
            let audit = try Subledger.DeepAudit(folder)
            #expect(audit.isSound, "\(audit)")
            let log = try StoredLog(folder)
            try log.requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
            #expect(Int(log.head.size) == acknowledged.positions.count)
        }
    }
}
