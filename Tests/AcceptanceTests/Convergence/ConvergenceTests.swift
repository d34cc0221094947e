import LedgerTesting
import Primitives
import Testing

@Suite struct `A ledger beside a failing App Store` {
    /// With `Tools/test --convergence N`, N of them.
    private static let seeds = (1...UInt64(TestEnvironment.convergenceSeeds ?? 4)).map { TestEnvironment.seed &+ $0 }

    /// The customers of a year with receipts. Receipts state all purchases again and again, so their years take longer.
    private static let customersWithReceipts = TestEnvironment.convergenceSeeds == nil ? 40 : 100

    /// A failing seed is replayed with `SUBLEDGER_SEED` one below it and `Tools/test --convergence 1`.
    @Test(arguments: seeds)
    func `equals the truth after lost deliveries, failed calls and kills, and names what was lost`(
        seed: UInt64
    ) async throws {
        let counts = try await Self.year(seed, customers: 100, form: "transactions")
        #expect(counts["subscriptions"] > 80 && counts["polled"] > 1_000 && counts["changed"] > 20)
        Self.expectNamesOfLost(counts, seed)
    }

    @Test(arguments: seeds)
    func `equals the truth of an app with receipts alone`(seed: UInt64) async throws {
        let counts = try await Self.year(seed, customers: Self.customersWithReceipts, form: "receipts")
        #expect(counts["subscriptions"] > 30 && counts["polled"] > 400 && counts["changed"] > 20)
    }

    @Test(arguments: seeds)
    func `equals the truth of an app that moves from receipts to transactions`(seed: UInt64) async throws {
        let counts = try await Self.year(seed, customers: Self.customersWithReceipts, form: "moving")
        #expect(counts["subscriptions"] > 30 && counts["polled"] > 400 && counts["changed"] > 10)
        Self.expectNamesOfLost(counts, seed)
    }

    /// The counts of a year.
    private struct Counts {
        let json: JSONView
        subscript(_ name: StaticString) -> Int64 { json[name]?.integer ?? 0 }
    }

    /// Plays a year, and expects no difference to the truth at its end.
    private static func year(_ seed: UInt64, customers: Int, form: String) async throws -> Counts {
        try await blocking {
            let folder = try TemporaryFolder()
            let binaries = try ChildProcess.folder()
            let lines = try Python.lines(
                Python.path(of: "converge.py", beside: #filePath),
                [
                    binaries + "/appstore-simulator", binaries + "/subledger", folder.path, "\(seed)", "\(customers)",
                    form,
                ])
            print("seed \(seed), \(form):", lines.last ?? "nothing")
            let json = try JSONDocument(parsing: Array((lines.last ?? "").utf8)).root
            #expect(json["different"]?.integer == 0, "seed \(seed)")
            let counts = Counts(json: json)
            #expect(counts["kills"] > 0 && counts["failed"] > 0)
            return counts
        }
    }

    /// The comparisons with Apple's notification history name exactly the deliveries that were lost.
    private static func expectNamesOfLost(_ counts: Counts, _ seed: UInt64) {
        #expect(counts["dropped"] > 3 && counts["lost"] == 0, "seed \(seed)")
        #expect(counts["missing"] == counts["dropped"] + counts["overtaken"], "seed \(seed)")
    }
}
