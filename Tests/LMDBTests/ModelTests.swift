import LMDB
import LMDBFileFormat
import LedgerTesting
import Testing

@Suite("An environment beside a model of plain values")
struct ModelTests {
    @Test(arguments: seeds(12))
    func `random transactions leave what the model says`(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        var workload = RandomWorkload(seed: seed, names: ["bytes", "integers", "i", "many"])
        var environment: Environment? = try Environment(directory: directory.path, options: .small)
        var held: Snapshot?
        for round in 0..<40 {
            // A long-lived reader keeps its state, and LMDB must not reuse the pages of that state.
            if let held, workload.random.chance(10) {
                #expect(try held.transaction.contents(held.databases) == held.model, "seed \(seed), round \(round)")
            }
            if workload.random.chance(10) { held = nil }
            if workload.random.chance(5) {
                held = nil
                environment = nil
                environment = try Environment(directory: directory.path, options: .small)
            }
            let open = try #require(environment)
            let databases = try open.openDatabases(workload.names)
            if held == nil, workload.random.chance(10) {
                held = Snapshot(try open.beginRead(), databases, workload.model)
            }
            try workload.step(open)

            let contents = try open.read { try $0.contents(databases) }
            #expect(contents == workload.model, "seed \(seed), round \(round)")
            for (name, database) in databases {
                let entries = try open.read { try $0.statistics(of: database).entries }
                #expect(entries == workload.model[name]?.count, "seed \(seed), round \(round)")
            }

            // The walk must accept every file that liblmdb writes.
            let walked = PageWalk.contents(of: try directory.read())
            #expect(walked.walk.findings.isEmpty, "seed \(seed), round \(round)")
            #expect(walked.contents == workload.model, "seed \(seed), round \(round)")
        }
    }
}

/// A read transaction, and the contents that it must see while it is open.
private final class Snapshot {
    let transaction: ReadTransaction
    let databases: [String: Database]
    let model: Contents

    init(_ transaction: consuming ReadTransaction, _ databases: [String: Database], _ model: Contents) {
        self.transaction = transaction
        self.databases = databases
        self.model = model
    }
}

extension Environment.Options {
    /// A map of 1 GiB, so that many environments can be open at once.
    static var small: Self {
        var options = Self()
        options.mapSizeBytes = 1 << 30
        return options
    }
}
