import LedgerTesting
import Primitives
import Testing

@Suite struct `An import beside a running service` {
    private static let (customers, rows, kills) =
        TestEnvironment.isLong ? (100_000, 1_000_000, 10) : (200, 20_000, 3)

    @Test func `loses no row, doubles none and keeps its verdicts, however often the ledger is killed`() async throws {
        try await blocking {
            let folder = try TemporaryFolder()
            let binaries = try ChildProcess.folder()
            let lines = try Python.lines(
                Python.path(of: "import.py", beside: #filePath),
                [binaries + "/appstore-simulator", binaries + "/subledger", folder.path, "\(TestEnvironment.seed)"]
                    + [Self.customers, Self.rows, Self.kills].map(String.init))
            print("seed \(TestEnvironment.seed):", lines.last ?? "nothing")
            let counts = try JSONDocument(parsing: Array((lines.last ?? "").utf8)).root
            let rows = try #require(counts["rows"]?.integer)
            #expect(rows > Self.customers * 8 / 10)
            // An id is known when it came with another one of its Apple account.
            let known = counts["verdicts"]?["known"]?.integer ?? 0
            #expect((counts["verdicts"]?["filled"]?.integer ?? 0) + known == rows && known < rows / 100)
            #expect(counts["repeated"]?["known"]?.integer == Int64(Self.rows * 9 / 10))
            #expect(counts["repeated"]?["malformed"]?.integer == Int64(Self.rows / 10))
            #expect(counts["different"]?.integer == 0, "seed \(TestEnvironment.seed)")
            #expect(counts["kills"]?.integer ?? 0 == 2 * Self.kills)
            #expect(counts["asked"]?.integer ?? 0 > 100)
        }
    }
}
