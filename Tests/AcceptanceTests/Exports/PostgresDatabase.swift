import PostgreSQL
import Primitives
import Synchronization
import Testing

/// A database of its own in a PostgreSQL server, which the first test starts and all share.
struct PostgresDatabase: Sendable {
    static let password = "s3cret/w0rd"
    private static let encodedPassword = "s3cret%2Fw0rd"

    /// The server, whose script answers one command at a time.
    private final class Server: Sendable {
        let script: Mutex<ChildProcess>
        let port: String
        let user: String

        init() throws {
            let child = try Python.start(Python.path(of: "database.py", beside: #filePath), [PostgresDatabase.password])
            let words = try #require(child.nextLine(), "\(child.standardError)").split(separator: " ")
            (port, user) = (String(words[0]), String(words[1]))
            script = Mutex(child)
        }

        func answer(to command: String) throws -> String {
            try script.withLock { child in
                child.send(command)
                return try #require(child.nextLine(), "\(child.standardError)")
            }
        }
    }

    private static let server = Result { try Server() }
    private static let count = Atomic(0)

    private let server: Server
    let name: String

    init() throws {
        server = try Self.server.get()
        name = "warehouse\(Self.count.add(1, ordering: .relaxed).newValue)"
        _ = try server.answer(to: "create \(name)")
    }

    /// The address, with the superuser by default.
    func address(user: String? = nil, password: String = PostgresDatabase.encodedPassword) -> String {
        "postgres://\(user ?? server.user):\(password)@127.0.0.1:\(server.port)/\(name)"
    }

    /// The address without a password.
    var addressOfUser: String { "postgres://\(server.user)@127.0.0.1:\(server.port)/\(name)" }

    func connection() throws -> PostgresConnection {
        try PostgresConnection(try #require(PostgresAddress(address())))
    }

    /// Runs a statement with psql.
    /// - Returns: the rows as texts.
    @discardableResult
    func run(_ statement: String) throws -> [[String]] {
        let root = try JSONDocument(parsing: Array(answer("sql", statement).utf8)).root
        return root.elements?.map { $0.elements?.compactMap(\.string) ?? [] } ?? []
    }

    /// Runs a statement in a transaction of another session, which stays open until `release`.
    func hold(_ statement: String) throws { _ = try answer("hold", statement) }

    func release() throws { _ = try answer("release") }

    /// The digests of the tables, as `warehouse.py` prints them.
    func content() throws -> String {
        try answer("content")
    }

    private func answer(_ command: String, _ statement: String = "") throws -> String {
        let words = [command, name, statement.split(separator: "\n").joined(separator: " ")]
        return try server.answer(to: words.joined(separator: " "))
    }
}
