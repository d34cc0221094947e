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

    /// - Parameters:
    ///   - isActivated: whether the command activated the rules; nil for a command that only shows them.
    ///   - projections: the stored projections; nil for a command that does not show them.
    static func print(
        _ rules: RulesInForce, isActivated: Bool? = nil, projections: [ProjectionRow]? = nil, in format: OutputFormat
    ) {
        let members = isActivated.map { [JSONValue.Member("activated", .bool($0))] } ?? []
        let answer = JSONValue.object(
            members + [
                .init("knownAt", .integer(Int64(clamping: rules.knownAt))), .init("rules", rules.row.json),
            ] + (projections.map { [JSONValue.Member("projections", $0.json)] } ?? []))
        switch format {
        case .json: Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table:
            if isActivated == false { Terminal.standardOutput.write("These rules are active already.\n") }
            Terminal.standardOutput.write(AnswerTable.members(of: table(of: rules)))
            if let projections, !projections.isEmpty {
                Terminal.standardOutput.write("\n" + ProjectionReport.table(of: projections))
            }
        }
    }

    /// Returns the activation and each setting under its path.
    private static func table(of rules: RulesInForce) -> JSONValue {
        guard case .object(let row) = rules.row.json else { return .null }
        let settings = Rules.keys.map { JSONValue.Member($0.path, .string("\($0.value(in: rules.rules))")) }
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
