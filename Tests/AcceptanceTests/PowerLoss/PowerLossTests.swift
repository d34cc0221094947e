import EventLog
import Glibc
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Testing

@Suite("Power loss", .serialized)
struct PowerLossTests {
    private static let cuts = 200

    @Test func `at any point leaves a log that opens and holds all that was acknowledged`() async throws {
        try await blocking {
            let losses = try PowerLosses(calls: 30, seed: TestEnvironment.seed)
            let outcome = try losses.cut(Self.cuts)
            print("power loss: \(outcome)")
            #expect(outcome.faults == [], "SUBLEDGER_SEED=\(TestEnvironment.seed)")
            #expect(outcome.losses > 0 && outcome.acknowledged > 0, "nothing was at stake")
        }
    }

    @Test func `after failed commits is no different`() async throws {
        try await blocking {
            let failures = "write=22,sync=27,meta=30,meta-kept=36,meta-stuck=42,meta-kept=43,sync=55"
            let losses = try PowerLosses(
                calls: 30, seed: TestEnvironment.seed, environment: ["DISK_SHIM_FAIL": failures])
            let outcome = try losses.cut(Self.cuts)
            print("power loss after failed commits: \(outcome)")
            #expect(outcome.faults == [], "SUBLEDGER_SEED=\(TestEnvironment.seed)")
            #expect(losses.refusals == ["io_error"])
        }
    }

    @Test func `is survived because of the syncs: without them the same test fails`() async throws {
        try await blocking {
            let losses = try PowerLosses(calls: 30, seed: TestEnvironment.seed, environment: ["DISK_SHIM_NOSYNC": "1"])
            let outcome = try losses.cut(Self.cuts)
            print("power loss without syncs: \(outcome)")
            #expect(outcome.faults.count > 0)
        }
    }
}

/// A ledger written under `DiskShim` by two successive processes, and its data file after simulated power losses.
private struct PowerLosses {
    struct Outcome: CustomStringConvertible {
        var cuts = 0
        /// The number of events acknowledged at the latest cut.
        var acknowledged = 0
        /// The number of lost pages among those written since a sync.
        var losses = 0
        var pages = 0
        var missing = 0
        var faults: [String] = []

        var description: String {
            """
            \(cuts) cut points, up to \(acknowledged) acknowledged, \(losses) of \(pages) unsynced pages lost, \
            \(missing) times no file yet, \(faults.count) faults
            """
        }
    }

    private let temporary: TemporaryFolder
    private let folder: DataFolder
    private let trace: DiskTrace
    private let seed: UInt64
    private(set) var refusals: Set<String> = []

    init(calls: Int, seed: UInt64, environment: [String: String] = [:]) throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        self.seed = seed
        let tracePath = temporary.path + "/trace"
        var variables = environment
        variables["LD_PRELOAD"] = try ChildProcess.folder() + "/libDiskShim.so"
        variables["DISK_SHIM_FOLDER"] = folder.path
        variables["DISK_SHIM_TRACE"] = tracePath
        var acknowledged = Acknowledgements()
        for _ in 0..<2 {
            let writer = try WritingProcess(
                folder, seed: seed, resume: acknowledged.resume, ["--calls", "\(calls)"], environment: variables)
            try writer.finish(into: &acknowledged)
        }
        refusals = Set(acknowledged.refusals.keys)
        trace = try DiskTrace(tracePath)
    }

    func cut(_ count: Int) throws -> Outcome {
        var random = SeededRandom(seed: seed)
        var outcome = Outcome()
        var disk = Disk(trace, folder: folder)
        var next = 0
        for point in cutPoints(count, &random) {
            while next < point {
                try disk.advance(trace.operations[next])
                next += 1
            }
            try cut(disk, &outcome, &random)
        }
        return outcome
    }

    /// Returns cut points. Half of them are just before a sync, or soon after a call that failed.
    private func cutPoints(_ count: Int, _ random: inout SeededRandom) -> [Int] {
        let onDisk = trace.operations.indices.filter { trace.operations[$0].concernsDisk }
        let atStake = onDisk.indices.filter { place in
            if case .synced = trace.operations[onDisk[place]] { return true }
            return onDisk[max(0, place - 12)..<place].contains { trace.operations[$0].isFailure }
        }
        return (0..<count).map { index in
            switch index % 4 {
            case 0: Int.random(in: 0...trace.operations.count, using: &random)
            case 1: onDisk.randomElement(using: &random) ?? 0
            default: atStake.randomElement(using: &random).map { onDisk[$0] } ?? 0
            }
        }.sorted()
    }

    private func cut(_ disk: Disk, _ outcome: inout Outcome, _ random: inout SeededRandom) throws {
        outcome.cuts += 1
        outcome.acknowledged = disk.acknowledged.positions.count
        guard let remains = disk.remains(&random) else {
            outcome.missing += 1
            if !disk.acknowledged.positions.isEmpty { outcome.faults.append("the data file is gone") }
            return
        }
        outcome.pages += remains.pages
        outcome.losses += remains.losses
        let rebuilt = DataFolder(path: temporary.path + "/rebuilt")
        try temporary.remove("rebuilt")
        try rebuilt.create()
        try File.write(remains.bytes, to: rebuilt.log + "/data.mdb")
        if let fault = Self.fault(in: rebuilt, disk.acknowledged) {
            outcome.faults.append(fault)
        } else if outcome.cuts % 10 == 0 {
            try goOn(in: rebuilt, disk.acknowledged, &outcome)
        }
    }

    private static func fault(in folder: DataFolder, _ acknowledged: Acknowledgements) -> String? {
        do {
            // The audit comes first, in its own process: liblmdb may crash on the damaged file.
            let audit = try Subledger.DeepAudit(folder)
            guard audit.isSound else { return "\(audit)" }
            try StoredLog(folder).requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Continues writing to the rebuilt ledger and checks it again.
    private func goOn(in folder: DataFolder, _ acknowledged: Acknowledgements, _ outcome: inout Outcome) throws {
        var acknowledged = acknowledged
        let writer = try WritingProcess(folder, seed: seed, resume: acknowledged.resume, ["--calls", "2"])
        try writer.finish(into: &acknowledged)
        if let fault = Self.fault(in: folder, acknowledged) { outcome.faults.append("gone on with: \(fault)") }
    }
}
