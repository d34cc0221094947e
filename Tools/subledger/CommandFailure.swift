import Exports
import LedgerConfiguration
import LedgerStorage
import ObjectStorage
import PostgreSQL
import Primitives
import SubscriptionLedger

/// A failed command, printed as `error[CODE]: MESSAGE; expected …, found …. HINT`.
struct CommandFailure: Error {
    static let refused: Int32 = 1
    static let usage: Int32 = 2
    static let io: Int32 = 3

    let diagnosis: Diagnosis
    let exitCode: Int32

    func report(as format: OutputFormat) {
        Terminal.standardError.write((format == .json ? json : text) + "\n")
    }

    private var text: String { "error[\(diagnosis.code)]: \(diagnosis.sentences)" }

    private var json: String {
        JSONValue.object([
            "error": .object([
                "code": .string(diagnosis.code), "message": .string(diagnosis.message),
                "expected": JSONValue(diagnosis.expected), "found": JSONValue(diagnosis.found),
                "hint": JSONValue(diagnosis.hint),
            ])
        ]).serialized()
    }
}

extension CommandFailure {
    init(
        code: String, message: String, expected: String? = nil, found: String? = nil, hint: String? = nil,
        exitCode: Int32
    ) {
        self.init(
            diagnosis: Diagnosis(code, message, expected: expected, found: found, hint: hint), exitCode: exitCode)
    }

    init(usage message: String) {
        self.init(code: "usage", message: message, hint: "See --help.", exitCode: Self.usage)
    }

    init(_ error: any DiagnosedError) {
        let exitCode =
            switch error {
            case is ConfigurationError, is InvalidActivator: Self.usage
            case is StorageError: Self.io
            case let error as AnchorError where error.code == .rootMissing: Self.usage
            case let error as ObjectStorageError where error.diagnosis.isRetryable: Self.io
            case let error as PostgresError where error.diagnosis.isRetryable: Self.io
            case .otherFormat as LoadFailed: Self.usage
            case let error as ReconcileFailure where error.diagnosis.isRetryable: Self.io
            case let error as CustomerError where error.code.isUsage: Self.usage
            default: Self.refused
            }
        self.init(diagnosis: error.diagnosis, exitCode: exitCode)
    }

    /// Reads the failure of a command that the service ran; nil for any other answer.
    init?(problem json: JSONView) {
        guard json["type"]?.string?.hasPrefix("urn:subledger:problem:") == true, let code = json["code"]?.string,
            let status = json["status"]?.integer
        else { return nil }
        let isUsage = CustomerError.Code(rawValue: code).isUsage || ConfigurationError.Code(rawValue: code) != nil
        self.init(
            code: code, message: json["detail"]?.string ?? "", expected: json["expected"]?.string,
            found: json["found"]?.string, hint: json["hint"]?.string,
            exitCode: status >= 500 ? Self.io : isUsage ? Self.usage : Self.refused)
    }
}

extension CustomerError.Code {
    /// Whether the command is wrong in itself, for any ledger.
    fileprivate var isUsage: Bool { [.customerIdInvalid, .postingMalformed, .parameterInvalid].contains(self) }
}
