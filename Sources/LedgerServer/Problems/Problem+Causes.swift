import AppStoreVerification
import HTTPTypes
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger

extension Problem {
    /// The seconds until a full queue has room again.
    static let shortPause = 1
    /// The seconds until a full or failing disk may have been repaired.
    static let repairPause = 30
    /// The seconds until the configuration may have been changed.
    static let configurationPause = 300

    init(_ status: HTTPResponse.Status, _ refusal: Refusal, hint: String? = nil, retryAfter: Int? = nil) {
        self.init(
            status, refusal.code.rawValue, refusal.part.map { "\(refusal.reason) (in \($0))" } ?? refusal.reason,
            expected: refusal.expected, found: refusal.found, hint: hint, retryAfter: retryAfter)
    }

    /// Creates the problem for a storage error: 503 when the same call may succeed later, else 500. The affected file
    /// or page is logged but not sent to callers.
    init(_ error: StorageError) {
        let detail =
            switch error.code {
            case .busy: error.message
            case .mapFull: "the log has reached its maximum size"
            case .diskFull: "the disk is full"
            case .ioError: "a storage operation failed"
            default: "stored data cannot be read"
            }
        let retryAfter = error.code == .busy ? Self.shortPause : Self.repairPause
        self.init(
            Self.status(of: error), error.code.rawValue, detail, retryAfter: error.isRetryable ? retryAfter : nil)
    }

    private static func status(of error: StorageError) -> HTTPResponse.Status {
        error.isRetryable ? .serviceUnavailable : .internalServerError
    }

    init(_ error: CustomerError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .handleUnknown, .customerUnknown, .mergeUnknown, .subscriptionUnknown, .offerUnknown: .notFound
            case .customerConflict, .linkRefused, .keyNotConfigured, .offerIneligible, .transactionUnknown,
                .idempotencyKeyReused, .evidenceRequired:
                .conflict
            case .roleForbidden: .forbidden
            default: .badRequest
            }
        self.init(status, error.diagnosis)
    }

    private init(_ reason: WorkStopped) {
        switch reason {
        case .timeLimit, .cancelled:
            self.init(.serviceUnavailable, reason.diagnosis, retryAfter: Self.shortPause)
        case .clientGone: self.init(.clientClosedRequest, reason.diagnosis)
        }
    }

    /// Creates the problem for any error that a route throws.
    init(any error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StorageError: self.init(error)
        case let error as CustomerError: self.init(error)
        case let error as ErasedEvidenceError: self.init(.gone, error.diagnosis)
        case let error as TransitionCursorError: self.init(.conflict, error.diagnosis)
        case let error as WorkStopped: self.init(error)
        case let error as KnownAtAhead: self.init(.conflict, error.diagnosis)
        case let error as AnswerTooLarge: self.init(.badRequest, error.diagnosis)
        case let error as DefinitionUnknown: self.init(.badRequest, error.diagnosis)
        case let error as ZoneUnknown: self.init(.badRequest, error.diagnosis)
        default: self.init(.internalServerError, "internal_error", "internal error; see the server log")
        }
    }

    /// Creates the problem for any error of a command that was handed over. The operator may read the whole diagnosis.
    init(forOperator error: any Error) {
        switch error {
        case let error as StorageError: self.init(Self.status(of: error), error.diagnosis)
        case let error as ConfigurationError: self.init(.badRequest, error.diagnosis)
        case let error as InvalidActivator: self.init(.badRequest, error.diagnosis)
        case let error as ReconcileFailure:
            self.init(error.diagnosis.isRetryable ? .badGateway : .unprocessableContent, error.diagnosis)
        default: self.init(any: error)
        }
    }
}

extension Problem {
    static func parameter(_ name: String, expected: String, found: String) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "invalid value for parameter \(name)", expected: expected,
            found: found)
    }

    static func unknownParameter(_ name: String, known names: [String]) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "unknown parameter",
            expected: names.isEmpty ? "none" : names.joined(separator: ", "), found: name)
    }

    static func repeatedParameter(_ name: String) -> Problem {
        Problem(
            .badRequest, "parameter_invalid", "duplicate parameter \(name)", expected: "one value",
            found: "several values")
    }

    static let tooManySubscribers = Problem(
        .serviceUnavailable, "busy", "too many streaming connections", expected: "at most \(ServerLimits.subscribers)",
        found: "more", hint: "Request pages instead.", retryAfter: repairPause)

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, "not_found", detail, hint: "See GET /openapi.yaml for the routes.")
    }

    static func positionNotReached(_ position: Int64, size: UInt64) -> Problem {
        Problem(
            .serviceUnavailable, "position_unknown", "position not reached yet",
            expected: "a position below \(size)", found: "\(position)", retryAfter: shortPause)
    }

    /// - Parameter size: the size of the log. The largest valid cursor is the last position.
    static func positionAhead(_ position: Int64, size: UInt64) -> Problem {
        Problem(
            .conflict, "cursor_ahead", "the cursor is beyond the newest event",
            expected: "at most \(Int64(clamping: size) - 1)", found: "\(position)",
            hint: "Use the cursor with the ledger that issued it, or start without a cursor.")
    }

    static func outsideKey(_ what: String, expected: [String], found: String) -> Problem {
        Problem(
            .forbidden, "role_forbidden", "the API key is limited to other \(what)",
            expected: expected.sorted().joined(separator: ", "), found: found)
    }

    static func unknownPosition(_ position: some BinaryInteger, size: UInt64) -> Problem {
        Problem(
            .notFound, "position_unknown", "no event at this position",
            expected: size == 0 ? "a position in a log with events" : "0 to \(size - 1)", found: "\(position)")
    }
}

extension HTTPResponse.Status {
    /// The usual status in logs and metrics of a request whose client did not wait for the answer.
    fileprivate static let clientClosedRequest = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
}
