import EventLog
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// A failed command, printed as `error[CODE]: MESSAGE; expected …, found …. HINT`.
struct CommandFailure: Error {
    static let refused: Int32 = 1
    static let usage: Int32 = 2
    static let io: Int32 = 3

    let code: String
    let message: String
    var expected: String?
    var found: String?
    var hint: String?
    let exitCode: Int32

    func report(as format: OutputFormat) {
        Terminal.standardError.write((format == .json ? json : text) + "\n")
    }

    private var text: String {
        var text = "error[\(code)]: \(message)"
        if let expected { text += "; expected \(expected)" }
        if let found { text += "\(expected == nil ? ";" : ",") found \(found)" }
        return text + "." + (hint.map { " \($0)" } ?? "")
    }

    private var json: String {
        JSONValue.object([
            "error": .object([
                "code": .string(code), "message": .string(message), "expected": JSONValue(expected),
                "found": JSONValue(found), "hint": JSONValue(hint),
            ])
        ]).serialized()
    }
}

extension CommandFailure {
    init(usage message: String) {
        self.init(code: "usage", message: message, hint: "See --help.", exitCode: Self.usage)
    }

    init(_ error: ConfigurationError, code: String = "configuration_invalid") {
        self.init(
            code: code, message: "\(error.place): \(error.message)", expected: error.expected,
            found: error.found, hint: error.hint, exitCode: Self.usage)
    }

    init(_ error: EventLogError) {
        self.init(
            code: error.code.rawValue, message: error.message, expected: error.expected, found: error.found,
            hint: error.hint, exitCode: Self.io)
    }

    init(_ error: KnownAtAhead) {
        self.init(
            code: KnownAtAhead.code, message: error.message, expected: error.expected, found: error.found,
            hint: error.hint, exitCode: Self.refused)
    }

    init(_ error: CustomerError) {
        self.init(
            code: error.code.rawValue, message: error.message, expected: error.expected, found: error.found,
            hint: error.hint, exitCode: error.isUsage ? Self.usage : Self.refused)
    }
}

extension CustomerError {
    /// Whether the command is wrong in itself, whatever the ledger holds.
    fileprivate var isUsage: Bool { [.customerIdInvalid, .postingMalformed, .parameterInvalid].contains(code) }
}
