package import LedgerModel
import Primitives

extension Catalog {
    /// The text of a catalogue file, with one group or product per line.
    package var yaml: String {
        var lines = ["version: 1", "bundleId: \(JSONValue.string(bundleId.text).serialized())"]
        lines += Self.list("groups", groups.map(\.json))
        lines += Self.list("products", products.map(\.json))
        // JSON is YAML (YAML 1.2 §1.3).
        if case .object(let members) = json, let paid = members.first(where: { $0.key == "paidUntil" }) {
            lines.append("paidUntil: \(paid.value.serialized())")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func list(_ name: String, _ elements: [JSONValue]) -> [String] {
        elements.isEmpty ? [] : ["\(name):"] + elements.map { "  - \($0.serialized())" }
    }
}
