package import Primitives

/// The failure of a database server, or of the connection to it. It never contains a password.
package enum PostgresError: DiagnosedError, Hashable, Sendable {
    /// The server answered with an error. The same statement fails again.
    case refused(statement: String, found: String)
    /// No connection, or an error that a repetition may not have.
    case unavailable(statement: String, found: String)
    /// The program was built without libpq.
    case unsupported

    package var diagnosis: Diagnosis {
        switch self {
        case .refused(let statement, let found):
            Diagnosis(
                "postgres_refused", "the database refuses \(statement)", expected: "success", found: found,
                hint: "Check the address, the password and the privileges of the user.")
        case .unavailable(let statement, let found):
            Diagnosis(
                "postgres_unavailable", "the database does not carry out \(statement)", expected: "an answer",
                found: found, hint: "Check the server, and try again.", isRetryable: true)
        case .unsupported:
            Diagnosis(
                "postgres_unsupported", "this program was built without PostgreSQL",
                expected: "the package trait PostgreSQL", hint: "Build it with the default traits.")
        }
    }
}

extension PostgresError {
    /// The classes of SQLSTATE whose errors a repetition may not have: connections, rolled back transactions, resources,
    /// states of objects, operator intervention, and the system.
    /// https://www.postgresql.org/docs/current/errcodes-appendix.html
    private static let passing: Set<Substring> = ["08", "40", "53", "55", "57", "58"]

    /// - Parameters:
    ///   - statement: the first words of the statement.
    ///   - state: the SQLSTATE; nil for a lost connection.
    init(_ statement: String, state: String?, found: String) {
        let isPassing = state.map { Self.passing.contains($0.prefix(2)) } ?? true
        let text = state.map { "\(found) (SQLSTATE \($0))" } ?? found
        self = isPassing ? .unavailable(statement: statement, found: text) : .refused(statement: statement, found: text)
    }
}
