import AppStoreVerification
import EventLog
import HTTPTypes
import SubscriptionLedger

extension Problem {
    /// Seconds until a queue has room again.
    static let shortPause = 1
    /// Seconds until a full disk, or one that fails, may have been seen to.
    static let repairPause = 30
    /// Seconds until somebody may have changed the configuration.
    static let configurationPause = 300

    init(_ status: HTTPResponse.Status, _ refusal: Refusal, hint: String? = nil, retryAfter: Int? = nil) {
        self.init(
            status, refusal.code.rawValue, refusal.part.map { "\(refusal.reason) (in \($0))" } ?? refusal.reason,
            expected: refusal.expected, found: refusal.found, hint: hint, retryAfter: retryAfter)
    }

    /// What the ledger could not do: 503 when the same call may succeed later, else 500. Which file or page it was is
    /// for the log, not for callers.
    init(_ error: EventLogError) {
        let detail =
            switch error.code {
            case .busy: error.message
            case .mapFull: "the log has grown to the size it may have"
            case .diskFull: "the disk is full"
            case .ioError: "the disk has failed"
            default: "the ledger is damaged"
            }
        let retryAfter = error.code == .busy ? Self.shortPause : Self.repairPause
        self.init(
            error.isRetryable ? .serviceUnavailable : .internalServerError, error.code.rawValue, detail,
            retryAfter: error.isRetryable ? retryAfter : nil)
    }

    init(_ error: CustomerError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .handleUnknown, .customerUnknown, .mergeUnknown, .subscriptionUnknown: .notFound
            case .customerConflict, .linkRefused: .conflict
            case .roleForbidden: .forbidden
            default: .badRequest
            }
        self.init(
            status, error.code.rawValue, error.message, expected: error.expected, found: error.found, hint: error.hint)
    }

    init(_ error: TransitionCursorError) {
        switch error {
        case .ahead(let count, let end):
            self.init(
                .conflict, "cursor_ahead", "the cursor is beyond the newest row", expected: "at most \(end) rows",
                found: "\(count) rows", hint: "Ask the ledger that gave the cursor, or begin without `after`.")
        case .ofAnotherLog:
            self.init(
                .conflict, "cursor_of_another_log", "the cursor is of another sequence",
                expected: "a cursor of this log under its rules", found: "another's",
                hint: "Begin without `after`: rows that were read before may come again.")
        }
    }

    init(_ error: KnownAtAhead) {
        self.init(
            .conflict, KnownAtAhead.code, error.message, expected: error.expected, found: error.found, hint: error.hint)
    }

    /// Anything that a route lets out.
    init(any error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as EventLogError: self.init(error)
        case let error as CustomerError: self.init(error)
        case let error as TransitionCursorError: self.init(error)
        case let error as KnownAtAhead: self.init(error)
        default: self.init(.internalServerError, "internal_error", "the server has failed; its log says where")
        }
    }
}

extension Problem {
    static func parameter(_ name: String, expected: String, found: String) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "invalid value for the parameter \(name)", expected: expected,
            found: found)
    }

    static func unknownParameter(_ name: String, known names: [String]) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "unknown parameter",
            expected: names.isEmpty ? "none" : names.joined(separator: ", "), found: name)
    }

    static func repeatedParameter(_ name: String) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "the parameter \(name) is given twice", expected: "once",
            found: "twice")
    }

    static let tooManyFollowers = Problem(
        .serviceUnavailable, "busy", "too many follow the log already", expected: "at most \(ServerLimits.followers)",
        found: "more", hint: "Read pages instead.", retryAfter: repairPause)

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, "not_found", detail, hint: "GET /openapi.yaml lists the routes.")
    }

    static func positionNotReached(_ position: Int64, size: UInt64) -> Problem {
        Problem(
            .serviceUnavailable, "position_unknown", "the ledger has not reached this position",
            expected: "a position below \(size)", found: "\(position)", retryAfter: shortPause)
    }

    /// - Parameter size: the size of the log; a cursor of a feed of events is at most the last position.
    static func positionAhead(_ position: Int64, size: UInt64) -> Problem {
        Problem(
            .conflict, "cursor_ahead", "the cursor is beyond the newest event",
            expected: "at most \(Int64(clamping: size) - 1)", found: "\(position)",
            hint: "Ask the ledger that gave the cursor, or begin without it.")
    }

    static func outsideKey(_ what: String, expected: [String], found: String) -> Problem {
        Problem(
            .forbidden, "role_forbidden", "this API key is limited to other \(what)",
            expected: expected.sorted().joined(separator: ", "), found: found)
    }

    static func unknownPosition(_ position: some BinaryInteger, size: UInt64) -> Problem {
        Problem(
            .notFound, "position_unknown", "there is no event at this position",
            expected: size == 0 ? "an event; the log is empty" : "0 to \(size - 1)", found: "\(position)")
    }
}
