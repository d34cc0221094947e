import LedgerTesting
import Primitives
import Testing

@Suite struct `A ledger beside a failing App Store` {
    /// With `Tools/test --convergence N`, N of them.
    private static let seeds = (1...UInt64(TestEnvironment.convergenceSeeds ?? 4)).map { TestEnvironment.seed &+ $0 }

    /// A failing seed is replayed with `SUBLEDGER_SEED` one below it and `Tools/test --convergence 1`.
    @Test(arguments: seeds)
    func `equals the truth after lost deliveries, failed calls and kills, and names what was lost`(
        seed: UInt64
    ) async throws {
        try await blocking {
            let folder = try TemporaryFolder()
            let binaries = try ChildProcess.folder()
            let lines = try Python.lines(
                Python.path(of: "converge.py", beside: #filePath),
                [binaries + "/appstore-simulator", binaries + "/subledger", folder.path, "\(seed)", "100"])
            print("seed \(seed):", lines.last ?? "nothing")
            let counts = try JSONDocument(parsing: Array((lines.last ?? "").utf8)).root
            func count(_ name: StaticString) -> Int64 { counts[name]?.integer ?? 0 }
            #expect(counts["different"]?.integer == 0, "seed \(seed)")
            #expect(count("subscriptions") > 80 && count("polled") > 1_000 && count("changed") > 20)
            #expect(count("kills") > 0 && count("failed") > 0)
            #expect(count("dropped") > 10 && count("lost") == 0)
            #expect(count("missing") == count("dropped") + count("overtaken"))
        }
    }
}
