import Primitives

extension JSONValue {
    /// The text of an answer apart from positions and recorded times.
    var withoutPositions: String { withoutMembers(["evidence", "recordedAt"]).serialized() }

    private func withoutMembers(_ keys: Set<String>) -> JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.filter { !keys.contains($0.key) }.map { .init($0.key, $0.value.withoutMembers(keys)) })
        case .array(let elements): .array(elements.map { $0.withoutMembers(keys) })
        default: self
        }
    }
}
