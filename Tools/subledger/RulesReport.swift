import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger

/// Prints rules.
enum RulesReport {
    /// One line per key of a rules file: name, values, default and question.
    static var keys: String {
        let defaults = Rules()
        return Rules.keys.map { key in
            "  \(key.path) (\(key.values); default \(key.value(in: defaults)))\n    \(key.question)"
        }.joined(separator: "\n")
    }

    /// - Parameter answer: the wire form of a `RulesAnswer`.
    static func print(_ answer: JSONValue, in format: OutputFormat) {
        switch format {
        case .json: Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table:
            if answer[member: "activated"] == .bool(false) {
                Terminal.standardOutput.write("These rules are active already.\n")
            }
            Terminal.standardOutput.write(AnswerTable.members(of: table(of: answer)))
            let projections = answer.elements(of: "projections")
            if !projections.isEmpty {
                Terminal.standardOutput.write("\n" + ProjectionReport.table(of: projections))
            }
        }
    }

    /// Returns the activation and each setting under its path.
    private static func table(of answer: JSONValue) -> JSONValue {
        guard case .object(let row)? = answer[member: "rules"] else { return .null }
        let rules = row.first { $0.key == "rules" }?.value
        let settings = Rules.keys.map { key in
            JSONValue.Member(key.path, rules?[member: key.section]?[member: key.name] ?? .null)
        }
        return .object(row.filter { $0.key != "rules" } + settings)
    }

    /// Returns a line for the rules and one for each setting that differs.
    static func changes(from old: Rules, to new: Rules) -> String {
        let settings = Rules.keys.filter { $0.value(in: old) != $0.value(in: new) }.map { key in
            "  \(key.path): \(key.value(in: old)) -> \(key.value(in: new))\n"
        }
        return "rules \(old.name) (\(old.digest)) -> \(new.name) (\(new.digest))\n" + settings.joined()
    }
}
