import Exports
import LedgerTesting
import PostgreSQL
import Primitives
import Testing

/// Loads by the command that a database, or the command itself, refuses.
@Suite struct `Refused exports to a database` {
    private struct Loading: Sendable {
        let data: String
        let database: PostgresDatabase

        func run(
            to place: String? = nil, _ options: [String] = [], environment: [String: String] = [:]
        ) throws -> Subledger {
            try Subledger(
                ["export", "periods", "events", "--data", data, "--to", place ?? database.address()]
                    + ["--format", "json", "--environment", "Production", "--environment", "Sandbox"] + options,
                environment: environment)
        }

        /// Requires that an export is loaded.
        func load(_ options: [String] = []) throws -> JSONView {
            let run = try run(options)
            try #require(run.ending == .exited(0), "\(run.errors)")
            return try JSONDocument(parsing: Array(run.output.utf8)).root
        }

        private func run(_ options: [String]) throws -> Subledger { try run(to: nil, options) }

        /// Requires a refusal without secrets.
        func refuse(
            to place: String? = nil, _ options: [String] = [], environment: [String: String] = [:],
            with code: String, exit: Int32
        ) throws -> String {
            let run = try run(to: place, options, environment: environment)
            #expect(run.ending == .exited(exit) && run.errors.contains("\"\(code)\""), "\(run.errors)")
            #expect(run.output.isEmpty && !run.errors.contains("s3cret"), "\(run.errors)")
            return run.errors
        }
    }

    /// Calls `body` with a ledger of some nights and an empty database.
    private static func withLoading(
        nights: Int = 3, _ body: @escaping @Sendable (Loading, NightlyInstants) throws -> Void
    ) async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<nights { try await ledger.play(to: night, from: &next) }
        let instants = NightlyInstants(instants: (0..<NightlyLedger.nights).map { ledger.instant(of: $0).iso8601 })
        let data = ledger.dataFolder
        try await blocking { try body(Loading(data: data, database: try PostgresDatabase()), instants) }
        withExtendedLifetime(ledger) {}
    }

    struct NightlyInstants: Sendable {
        let instants: [String]
        subscript(_ night: Int) -> [String] { ["--as-of", instants[night]] }
    }

    @Test func `name no secret`() async throws {
        try await Self.withLoading { loading, _ in
            let database = loading.database
            _ = try loading.refuse(
                to: database.address(password: "s3cretless"), with: "postgres_refused", exit: 1)
            _ = try loading.refuse(to: database.addressOfUser, with: "postgres_refused", exit: 1)
            _ = try loading.refuse(
                to: "postgres://u:s3cret@127.0.0.1:1/w", with: "postgres_unavailable", exit: 3)
            _ = try loading.refuse(
                to: database.address() + "absent", with: "postgres_refused", exit: 1)
            _ = try loading.refuse(to: "postgres://u:s3cret/x@127.0.0.1/w", with: "usage", exit: 2)
            _ = try loading.refuse(to: "mysql://u:s3cret@127.0.0.1/w", with: "usage", exit: 2)
            _ = try loading.refuse(["--as", "parquet"], with: "usage", exit: 2)
            let run = try loading.run(
                to: database.addressOfUser, environment: ["PGPASSWORD": PostgresDatabase.password])
            #expect(run.ending == .exited(0), "\(run.errors)")
            let password = PostgresDatabase.password
            #expect(!run.output.contains(password) && !run.errors.contains(password))
        }
    }

    @Test func `need the privilege to write`() async throws {
        try await Self.withLoading { loading, instants in
            let database = loading.database
            try database.run("CREATE ROLE \(database.name)_reader LOGIN PASSWORD 's3cret'")
            let reader = database.address(user: "\(database.name)_reader", password: "s3cret")
            _ = try loading.refuse(to: reader, with: "postgres_refused", exit: 1)
            // A user who owns the schema needs no more.
            try database.run("CREATE SCHEMA subledger AUTHORIZATION \(database.name)_reader")
            #expect(try loading.run(to: reader).ending == .exited(0))
            try database.run("ALTER ROLE \(database.name)_reader SET default_transaction_read_only = on")
            let content = try database.content()
            _ = try loading.refuse(to: reader, instants[20], with: "postgres_refused", exit: 1)
            #expect(try database.content() == content)
        }
    }

    @Test func `change nothing in tables that something else changed`() async throws {
        try await Self.withLoading { loading, instants in
            let database = loading.database
            _ = try loading.load(instants[2])
            try database.run("DELETE FROM subledger.events WHERE position = 0")
            let content = try database.content()
            _ = try loading.refuse(instants[20], with: "load_mismatch", exit: 1)
            #expect(try database.content() == content)
            #expect(try loading.load(instants[20] + ["--full"])["existed"]?.bool == false)
            #expect(try loading.load(instants[20])["existed"]?.bool == true)
        }
    }

    @Test func `are those of another ledger, and of an earlier instant`() async throws {
        try await Self.withLoading { loading, instants in
            let database = loading.database
            _ = try loading.load(instants[20])
            _ = try loading.refuse(instants[10], with: "export_gap", exit: 1)
            try database.rewrite(/"origin":"[^"]*"/, #""origin":"example.com/log""#)
            let errors = try loading.refuse(instants[21], with: "export_gap", exit: 1)
            #expect(errors.contains("another ledger") && errors.contains("--full"))
            #expect(try loading.load(instants[21] + ["--full"])["existed"]?.bool == false)
        }
    }

    @Test func `are those to tables of a newer program`() async throws {
        try await Self.withLoading { loading, instants in
            let database = loading.database
            _ = try loading.load(instants[2])
            try database.run("UPDATE subledger.table_version SET schema_version = 99 WHERE name = 'periods'")
            _ = try loading.refuse(instants[20], with: "version_unknown", exit: 1)
            _ = try loading.refuse(instants[20] + ["--full"], with: "version_unknown", exit: 1)
            try database.rewrite(/"schema":2/, #""schema":3"#)
            _ = try loading.refuse(instants[20], with: "version_unknown", exit: 1)
        }
    }

    @Test func `are not those to tables of an earlier program, which are made again`() async throws {
        try await Self.withLoading { loading, instants in
            let database = loading.database
            _ = try loading.load(instants[2])
            try database.run("UPDATE subledger.table_version SET schema_version = 0 WHERE name = 'periods'")
            try database.run("ALTER TABLE subledger.periods RENAME COLUMN payment TO paid")
            try database.rewrite(/"name":"periods","restated":[0-9]+,"schemaVersion":[0-9]+/) {
                String($0.replacing(/"schemaVersion":[0-9]+/, with: #""schemaVersion":0"#))
            }
            try database.run("CREATE VIEW reports AS SELECT paid FROM subledger.periods")
            _ = try loading.refuse(instants[20], with: "postgres_refused", exit: 1)
            try database.run("DROP VIEW reports")
            let modes = try loading.load(instants[20])["tables"]?.elements?.compactMap { $0["mode"]?.string }
            #expect(modes == ["delta", "full"])
            let content = try database.content()
            #expect(try loading.load(instants[20] + ["--full"])["existed"]?.bool == false)
            #expect(try database.content() == content)
        }
    }

    @Test func `are not those with other options, which load everything`() async throws {
        try await Self.withLoading { loading, instants in
            _ = try loading.load(instants[2])
            let changed = try loading.load(instants[20] + ["--currency", "EUR"])
            #expect(changed["tables"]?.elements?.allSatisfy { $0["mode"]?.string == "full" } == true)
            let next = try loading.load(instants[21] + ["--currency", "EUR"])
            #expect(next["tables"]?.elements?.allSatisfy { $0["mode"]?.string == "delta" } == true)
        }
    }
}

extension PostgresDatabase {
    /// Changes the manifest of the newest load, as another program would have written it.
    fileprivate func rewrite(_ pattern: Regex<Substring>, _ replacement: String) throws {
        try rewrite(pattern) { _ in replacement }
    }

    fileprivate func rewrite(_ pattern: Regex<Substring>, _ replacement: (Substring) -> String) throws {
        let connection = try connection()
        let row = try #require(
            try connection.execute("SELECT manifest FROM subledger.load ORDER BY seq DESC LIMIT 1").first)
        let manifest = try #require(row[0])
        let changed = manifest.replacing(pattern) { replacement($0.output) }
        try #require(changed != manifest)
        try connection.execute(
            "UPDATE subledger.load SET manifest = $1, manifest_sha256 = $2 WHERE manifest = $3",
            [changed, Digest.sha256(of: Array(changed.utf8)).hex, manifest])
    }
}
