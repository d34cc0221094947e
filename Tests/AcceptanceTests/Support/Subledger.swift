import EventLog
import LedgerAPI
import LedgerStorage
import Primitives
import Testing

/// A finished run of the command line.
struct Subledger {
    let ending: ChildProcess.Ending
    let output: String
    let errors: String

    /// - Parameter environment: variables to add to those of the tests.
    init(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws {
        let child = try ChildProcess("subledger", arguments, environment: environment)
        if let input { child.send(input) }
        child.closeInput()
        output = child.remainingLines().joined(separator: "\n")
        ending = child.end(by: nil)
        errors = child.standardError
    }

    /// A run of `audit verify --deep`.
    struct DeepAudit: Sendable {
        let ending: ChildProcess.Ending
        /// The first finding; nil if there is none.
        let finding: AuditFinding?
        let events: Int
        /// The derived data that was not compared, with the reasons.
        let omitted: [String]
        let errors: String

        init(_ folder: DataFolder) throws {
            let run = try Subledger(["audit", "verify", "--deep", "--data", folder.path, "--format", "json"])
            ending = run.ending
            errors = run.errors
            let answer = try? JSONDocument(parsing: Array(run.output.utf8)).root
            events = answer?["events"]?.integer.map { Int($0) } ?? 0
            let report = answer.map { AuditReport(json: $0) }
            finding = report?.firstBad
            omitted = (report?.derived ?? []).compactMap { part in part.note.map { "\(part.part): \($0)" } }
        }

        /// Whether nothing was found, but something could not be compared.
        var isIncomplete: Bool { isSound && !omitted.isEmpty }
        var isSound: Bool { ending == .exited(0) && finding == nil }
        /// Whether the audit reported a finding; a run that merely failed does not count.
        var isRefused: Bool { ending == .exited(1) && finding != nil }
    }
}

extension Subledger.DeepAudit: CustomStringConvertible {
    var description: String { "\(ending), \(finding.map { "\($0)" } ?? "nothing found"), \(events) events \(errors)" }
}
