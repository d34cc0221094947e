import EventLog
import Primitives
import Testing

/// The command line, run to its end.
struct Subledger {
    let ending: ChildProcess.Ending
    let output: String
    let errors: String

    init(_ arguments: [String], input: String? = nil) throws {
        let child = try ChildProcess("subledger", arguments)
        if let input { child.send(input) }
        child.closeInput()
        output = child.remainingLines().joined(separator: "\n")
        ending = child.end(by: nil)
        errors = child.standardError
    }

    /// `audit verify --deep`.
    struct DeepAudit: Sendable {
        let ending: ChildProcess.Ending
        /// What it says is wrong, nil when nothing.
        let finding: AuditFinding?
        let events: Int
        let errors: String

        init(_ folder: DataFolder) throws {
            let run = try Subledger(["audit", "verify", "--deep", "--data", folder.path, "--format", "json"])
            ending = run.ending
            errors = run.errors
            let answer = try? JSONDocument(parsing: Array(run.output.utf8)).root
            events = answer?["events"]?.integer.map { Int($0) } ?? 0
            let firstBad = answer?["firstBad"]
            finding =
                firstBad?["structure"]?.string.map { .structure(what: $0) }
                ?? firstBad?["position"]?.integer.map {
                    .event(position: UInt64($0), what: firstBad?["what"]?.string ?? "")
                }
        }

        var isSound: Bool { ending == .exited(0) && finding == nil }
        /// Found wrong and told, which is more than having failed.
        var isRefused: Bool { ending == .exited(1) && finding != nil }
    }
}

extension Subledger.DeepAudit: CustomStringConvertible {
    var description: String { "\(ending), \(finding.map { "\($0)" } ?? "nothing found"), \(events) events \(errors)" }
}
