import PostgreSQL
import Primitives
import Testing

@Suite struct `Addresses of databases` {
    @Test(
        arguments: [
            ("postgres://ledger@db.example/warehouse", "postgres://db.example/warehouse"),
            ("postgresql://ledger:s3cret@127.0.0.1:5432/w?sslmode=require", "postgres://127.0.0.1:5432/w"),
            ("postgres://[::1]:5433/w", "postgres://[::1]:5433/w"),
            ("postgres://a,b:5433/w", "postgres://a,b:5433/w"),
            ("postgres:///warehouse?host=%2Frun%2Fpostgresql", "postgres:///warehouse"),
            ("postgres://ledger:p%40ss%2Fword@h/w?password=other", "postgres://h/w"),
            ("postgres://u:a@b@h/w", "postgres://h/w"), ("postgres://", "postgres:///"),
        ])
    func `are shown without user, password and parameters`(_ text: String, _ shown: String) throws {
        #expect(PostgresAddress.isMeant(by: text))
        #expect(try #require(PostgresAddress(text)).shown == shown)
    }

    @Test(
        arguments: [
            "postgres://ledger:pa/ss@h/w", "postgres://ledger:12/ss@h/w", "postgres://ledger:p?ss@h/w",
            "postgres://ledger:p ss@h/w", "postgres://ledger:p%ss@h/w", "postgres://ledger:p%00@h/w",
            "postgres://h:port/w", "postgres://h:543210/w", "postgres://h/w/x", "postgres://h/w?sslmode",
            "postgres://h/w?a=b@c", "mysql://h/w", "/folder",
        ])
    func `are refused where libpq would read them otherwise`(_ text: String) {
        #expect(PostgresAddress(text) == nil)
    }

    @Test func `are no folders and buckets`() {
        #expect(!PostgresAddress.isMeant(by: "s3://bucket") && !PostgresAddress.isMeant(by: "postgres"))
    }

    @Test func `without a server give an error that has no password`() throws {
        // Port 1 is that of no server.
        let address = try #require(PostgresAddress("postgres://ledger:s3cret%21@127.0.0.1:1/w?connect_timeout=2"))
        let error = #expect(throws: PostgresError.self) { _ = try PostgresConnection(address) }
        let diagnosis = try #require(error?.diagnosis)
        #expect(diagnosis.code == "postgres_unavailable" && diagnosis.isRetryable)
        #expect(!"\(diagnosis)".contains("s3cret"))
    }
}
