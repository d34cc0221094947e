#if PostgreSQL
    import CLibPQ
    import Glibc

    /// A connection to a database, through libpq, which also reads the variables that begin with `PG` and `~/.pgpass`.
    ///
    /// Calls block their thread. Not thread-safe.
    package final class PostgresConnection {
        // Owned: set once by `init`, and freed by `deinit` alone.
        private let connection: OpaquePointer
        private let address: PostgresAddress

        /// The seconds for a connection, unless the address or the environment has others.
        private static let patience = "10"

        /// - Throws: `PostgresError`.
        package init(_ address: PostgresAddress) throws(PostgresError) {
            self.address = address
            // A later parameter counts more than an earlier one with its name.
            var parameters = [("fallback_application_name", "subledger")]
            if getenv("PGCONNECT_TIMEOUT") == nil { parameters.append(("connect_timeout", Self.patience)) }
            parameters += [("dbname", address.uri), ("client_encoding", "UTF8")]
            let made = withCStrings(parameters.map(\.0)) { names in
                withCStrings(parameters.map(\.1)) { PQconnectdbParams(names, $0, 1) }
            }
            guard let made else { throw .unavailable(statement: "the connection", found: "no memory") }
            guard PQstatus(made) == CONNECTION_OK else {
                let found = address.redacted(Self.message(of: made))
                PQfinish(made)
                // libpq does not tell the reason, but whether the server accepts connections.
                let answer = withCStrings(parameters.map(\.0)) { names in
                    withCStrings(parameters.map(\.1)) { PQpingParams(names, $0, 1) }
                }
                let isRefused = answer == PQPING_OK || answer == PQPING_NO_ATTEMPT
                throw isRefused
                    ? .refused(statement: "the connection", found: found)
                    : .unavailable(statement: "the connection", found: found)
            }
            connection = made
            // Without this, notices go to the standard error of the process.
            _ = PQsetNoticeProcessor(made, { _, _ in }, nil)
        }

        deinit { PQfinish(connection) }

        /// Runs a statement.
        /// - Parameters:
        ///   - statement: one statement of SQL.
        ///   - parameters: the texts of `$1`, `$2` and so on; nil for null.
        /// - Returns: the rows as texts; nil for null.
        /// - Throws: `PostgresError`.
        @discardableResult
        package func execute(
            _ statement: String, _ parameters: [String?] = []
        ) throws(PostgresError) -> [[String?]] {
            let result = withCStrings(parameters) { values in
                PQexecParams(connection, statement, Int32(parameters.count), nil, values, nil, nil, 0)
            }
            defer { PQclear(result) }
            try require(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK, in: statement)
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    // The text belongs to the result, and is copied before the result is cleared.
                    PQgetisnull(result, row, column) == 1
                        ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
                }
            }
        }

        /// Runs `COPY … FROM STDIN`.
        /// - Parameter next: returns further bytes; nil at the end. No more of them are kept than one call returns.
        /// - Throws: `PostgresError`; the errors of `next`, after which nothing is copied.
        package func copy(_ statement: String, from next: () throws -> [UInt8]?) throws {
            let opened = PQexec(connection, statement)
            defer { PQclear(opened) }
            try require(opened, PGRES_COPY_IN, in: statement)
            do {
                while let bytes = try next() {
                    // libpq copies the bytes, or sends them; it waits while the server takes no more.
                    let isSent = bytes.withUnsafeBytes {
                        PQputCopyData(connection, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
                    }
                    if isSent != 1 { break }
                }
            } catch {
                PQputCopyEnd(connection, "cancelled")
                _ = try? finish(statement)
                throw error
            }
            PQputCopyEnd(connection, nil)
            try finish(statement)
        }

        /// The means to end the running statement from another thread.
        package var cancellation: PostgresCancellation { PostgresCancellation(PQgetCancel(connection)) }

        /// Takes the results of a statement up to its end.
        private func finish(_ statement: String) throws(PostgresError) {
            var failure: PostgresError?
            while let result = PQgetResult(connection) {
                defer { PQclear(result) }
                do throws(PostgresError) { try require(result, PGRES_COMMAND_OK, in: statement) } catch {
                    failure = failure ?? error
                }
                if PQstatus(connection) != CONNECTION_OK { break }
            }
            if let failure { throw failure }
            if PQstatus(connection) != CONNECTION_OK { try require(nil, PGRES_COMMAND_OK, in: statement) }
        }

        private func require(
            _ result: OpaquePointer?, _ statuses: ExecStatusType..., in statement: String
        ) throws(PostgresError) {
            guard !statuses.contains(PQresultStatus(result)) else { return }
            let field = { (field: Int32) in PQresultErrorField(result, field).map { String(cString: $0) } }
            let message = field(subledger_primaryMessage) ?? Self.message(of: connection)
            throw PostgresError(
                Self.words(of: statement), state: field(subledger_sqlState), found: address.redacted(message))
        }

        /// Returns the first line of the last message.
        private static func message(of connection: OpaquePointer) -> String {
            let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            return text.split(separator: "\n").first.map { String($0) } ?? "no message"
        }

        /// Returns the first words of a statement, which have no values.
        private static func words(of statement: String) -> String {
            statement.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
        }
    }

    /// Ends the running statement of a connection, also after the connection.
    package final class PostgresCancellation: Sendable {
        // libpq lets any thread use it: it has its own copy of the address, and nothing changes it before `deinit`.
        private nonisolated(unsafe) let handle: OpaquePointer?

        fileprivate init(_ handle: OpaquePointer?) { self.handle = handle }

        deinit { PQfreeCancel(handle) }

        /// Asks the server to end the statement. Blocks until the server has the request.
        package func cancel() {
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(handle, &message, Int32(message.count))
        }
    }

    /// Calls `body` with C strings, which it must not keep, and NULL after the last one.
    private func withCStrings<Result>(
        _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { string in string.flatMap { strdup($0) } } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress) }
    }
#else
    /// The connection of a program without libpq: there is none.
    package final class PostgresConnection {
        package init(_ address: PostgresAddress) throws(PostgresError) { throw .unsupported }

        @discardableResult
        package func execute(
            _ statement: String, _ parameters: [String?] = []
        ) throws(PostgresError) -> [[String?]] { throw .unsupported }

        package func copy(_ statement: String, from next: () throws -> [UInt8]?) throws {
            throw PostgresError.unsupported
        }

        package var cancellation: PostgresCancellation { PostgresCancellation() }
    }

    package final class PostgresCancellation: Sendable {
        package func cancel() {}
    }
#endif

extension PostgresConnection {
    /// Runs statements in a transaction, which an error rolls back.
    ///
    /// Statements see what is committed before each of them. When a connection is lost at the end, the transaction may be
    /// committed or not.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            _ = try? execute("ROLLBACK")
            throw error
        }
    }
}
