import EventLog
import LedgerAPI
import LedgerStorage
import LedgerTesting
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite("No room", .serialized)
struct FullDiskTests {
    private static let refusalsSeen = 100
    private static let acknowledgedLater = 500

    @Test(arguments: SmallDisk.Kind.allCases)
    func `on the disk is answered disk_full; the log stays whole and takes more when there is room`(
        kind: SmallDisk.Kind
    ) async throws {
        try await blocking {
            guard let disk = try SmallDisk(kind) else {
                print("full disk: mounting a tmpfs is refused here")
                return
            }
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(
                disk.folder, seed: TestEnvironment.seed, resume: acknowledged.resume, disk.options)
            try writer.read(into: &acknowledged) { $0.refusals["disk_full", default: 0] >= Self.refusalsSeen }
            let before = acknowledged.positions.count
            #expect(before > 0)
            try Self.check(disk.folder, acknowledged)

            disk.makeRoom(for: writer)
            try writer.read(into: &acknowledged) { $0.positions.count >= before + Self.acknowledgedLater }
            writer.child.closeInput()
            try writer.finish(into: &acknowledged)
            #expect(Set(acknowledged.refusals.keys) == ["disk_full"], "\(acknowledged.refusals)")
            try Self.settle(disk.folder, &acknowledged, [])
            print(
                "full disk (\(kind)): \(before) acknowledged, \(acknowledged.refusals["disk_full"] ?? 0) times disk_full,",
                "\(acknowledged.positions.count) acknowledged in the end")
        }
    }

    @Test func `for a new ledger or a backup is told, and neither is left half made`() async throws {
        try await blocking {
            guard let disk = try SmallDisk(.tmpfs) else {
                print("full disk: mounting a tmpfs is refused here")
                return
            }
            let temporary = try TemporaryFolder()
            let source = DataFolder(path: temporary.path + "/data")
            try WritingProcess(source, seed: 1, resume: Acknowledgements().resume, ["--calls", "2"]).wait()
            let commands = [
                ["ingest", "-", "--data", disk.folder.path],
                ["backup", disk.folder.path + "-backup", "--data", source.path],
            ]
            try disk.fill()
            for command in commands {
                let run = try Subledger(command)
                #expect(run.ending == .exited(3), "\(command): \(run.ending)")
                #expect(run.errors.hasPrefix("error[disk_full]"), "\(run.errors)")
            }
            disk.makeRoom()
            for command in commands {
                let run = try Subledger(command)
                #expect(run.ending == .exited(0), "\(command): \(run.errors)")
            }
            #expect(try Subledger.DeepAudit(DataFolder(path: disk.folder.path + "-backup")).isSound)
        }
    }

    @Test func `in the map is answered map_full; the log stays whole and takes more with a larger map`() async throws {
        try await blocking {
            let temporary = try TemporaryFolder()
            let folder = DataFolder(path: temporary.path + "/data")
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(
                folder, seed: TestEnvironment.seed, resume: acknowledged.resume, ["--map-size", "\(SmallDisk.room)"])
            try writer.read(into: &acknowledged) { $0.refusals["map_full", default: 0] >= Self.refusalsSeen }
            let before = acknowledged.positions.count
            #expect(before > 0)
            try Self.check(folder, acknowledged)
            writer.child.closeInput()
            try writer.finish(into: &acknowledged)
            #expect(Set(acknowledged.refusals.keys) == ["map_full"], "\(acknowledged.refusals)")

            try Self.settle(folder, &acknowledged, ["--map-size", "\(SmallDisk.room * 4)"])
            #expect(acknowledged.positions.count > before)
            print("full map: \(before) acknowledged, then \(acknowledged.positions.count) in a larger one")
        }
    }

    /// Lets every client finish its calls, then requires that the log contains each event exactly once.
    private static func settle(
        _ folder: DataFolder, _ acknowledged: inout Acknowledgements, _ options: [String]
    ) throws {
        let writer = try WritingProcess(
            folder, seed: TestEnvironment.seed, resume: acknowledged.resume, ["--calls", "3"] + options)
        try writer.finish(into: &acknowledged)
        try check(folder, acknowledged)
        let log = try StoredLog(folder)
        #expect(Int(log.head.size) == acknowledged.positions.count)
        try log.requireRoot()
    }

    /// Audits the log and checks the acknowledged evidence. The writer may still be running.
    private static func check(_ folder: DataFolder, _ acknowledged: Acknowledgements) throws {
        let audit = try Subledger.DeepAudit(folder)
        #expect(audit.isSound, "\(audit)")
        try StoredLog(folder).requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
    }
}
