import Exports
import Glibc
import LedgerTesting
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

@Suite("Loads that are cut off", .serialized)
struct KilledLoadTests {
    /// Exports of a ledger into a database by the command, each as of a later instant than the one before.
    private struct Loads: Sendable {
        let database: PostgresDatabase
        let options: [String]
        /// The first instant, and the step to the next.
        let first: Instant
        let step: Int64

        init(_ ledger: NightlyLedger, _ database: PostgresDatabase, rounds: Int) {
            self.database = database
            options = [
                "--data", ledger.dataFolder, "--environment", "Production", "--environment", "Sandbox",
                "--format", "json",
            ]
            first = ledger.instant(of: 10)
            step = (ledger.instant(of: 29).milliseconds - first.milliseconds) / Int64(rounds + 1)
        }

        func command(_ round: Int, into database: PostgresDatabase? = nil) -> [String] {
            let asOf = first.advanced(byMilliseconds: step * Int64(round))
            return ["export", "--to", (database ?? self.database).address(), "--as-of", asOf.iso8601] + options
        }

        func start(_ round: Int) throws -> ChildProcess { try ChildProcess("subledger", command(round)) }

        /// Runs an export to its end.
        func complete(_ round: Int, into database: PostgresDatabase? = nil) throws {
            let run = try Subledger(command(round, into: database))
            try #require(run.ending == .exited(0), "\(run.errors)")
        }

        func count() throws -> Int { Int(try database.run("SELECT count(*) FROM subledger.load")[0][0]) ?? -1 }

        /// Requires that the tables have the rows of one export, each once.
        func requireContent(of round: Int) throws {
            let whole = try PostgresDatabase()
            try complete(round, into: whole)
            let content = try database.content()
            try #require(try whole.content() == content, "round \(round), seed \(TestEnvironment.seed)")
        }

        /// Waits until a session of the database waits for a lock.
        func waitForLock() throws {
            let deadline = ContinuousClock.now + ChildProcess.patience
            while try database.run(
                "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '\(database.name)'"
            ).isEmpty, .now < deadline { usleep(10_000) }
        }

        /// Ends the session of the running load.
        func terminate() throws {
            try database.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'subledger' AND datname = '\(database.name)'
                """)
        }
    }

    private static func withLoads(
        rounds: Int, _ body: @escaping @Sendable (Loads, SeededRandom) throws -> Void
    ) async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<12 { try await ledger.play(to: night, from: &next) }
        let seed = TestEnvironment.seed
        let loads = Loads(ledger, try await blocking { try PostgresDatabase() }, rounds: rounds)
        try await blocking { try body(loads, SeededRandom(seed: seed)) }
        withExtendedLifetime(ledger) {}
    }

    private static let rounds = TestEnvironment.isLong ? 50 : 12

    @Test func `by SIGKILL and by the server leave each row once`() async throws {
        let rounds = Self.rounds
        try await Self.withLoads(rounds: rounds) { loads, random in
            var random = random
            try loads.complete(0)
            let start = ContinuousClock.now
            try loads.complete(1)
            let duration = ContinuousClock.now - start
            var unfinished = 0
            for round in 2..<(2 + rounds) {
                let deadline = ContinuousClock.now + duration * Double.random(in: 0...1.2, using: &random)
                let child = try loads.start(round)
                while child.nextLine(before: deadline) != nil {}
                if random.chance(50) {
                    _ = child.end(by: SIGKILL)
                } else {
                    try loads.terminate()
                    child.closeInput()
                    let ending = child.end()
                    try #require(
                        ending == .exited(0)
                            || ending == .exited(3) && child.standardError.contains("\"postgres_unavailable\""),
                        "\(ending) \(child.standardError)")
                }
                if try loads.count() < round + 1 { unfinished += 1 }
                try loads.complete(round)
                try #require(try loads.count() == round + 1, "seed \(TestEnvironment.seed)")
            }
            try loads.requireContent(of: rounds + 1)
            print("Loads that are cut off: \(rounds) rounds, \(unfinished) unfinished, seed \(TestEnvironment.seed)")
        }
    }

    @Test func `between two tables leave those of the load before`() async throws {
        try await Self.withLoads(rounds: 2) { loads, _ in
            try loads.complete(0)
            for (round, isKilled) in [(1, true), (2, false)] {
                let before = try loads.database.content()
                // The load waits for this table after it has changed others.
                try loads.database.hold("LOCK TABLE subledger.subscriptions IN SHARE MODE")
                let child = try loads.start(round)
                try loads.waitForLock()
                if isKilled {
                    #expect(child.end(by: SIGKILL) == .signalled(SIGKILL))
                } else {
                    try loads.terminate()
                    #expect(child.end() == .exited(3) && child.standardError.contains("\"postgres_unavailable\""))
                }
                #expect(try loads.database.content() == before && loads.count() == round)
                // The server notices the end of a client once it has the lock.
                try loads.database.release()
                try loads.complete(round)
                #expect(try loads.count() == round + 1)
            }
            try loads.requireContent(of: 2)
        }
    }

    @Test func `at the same time wait for each other`() async throws {
        try await Self.withLoads(rounds: 2) { loads, _ in
            try loads.complete(0)
            let children = try (0..<2).map { _ in try loads.start(1) }
            let endings = children.map { child in
                _ = child.remainingLines()
                return child.end()
            }
            #expect(endings == [.exited(0), .exited(0)], "\(children.map(\.standardError))")
            #expect(try loads.count() == 2)
            try loads.requireContent(of: 1)
        }
    }
}
