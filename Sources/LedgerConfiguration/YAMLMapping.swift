import Yams

/// A mapping while it is read: members are taken by key, and any that are left are unknown.
struct YAMLMapping {
    let value: YAMLValue
    private var members: [(key: Node, value: YAMLValue)] = []
    private var known: [String] = []

    init(_ value: YAMLValue) throws(ConfigurationError) {
        guard let mapping = value.node.mapping else { throw value.unexpected("a mapping") }
        self.value = value
        for (key, member) in mapping {
            let name = key.scalar?.string ?? "?"
            let path = value.name.isEmpty ? name : "\(value.name).\(name)"
            members.append((key, YAMLValue(node: member, name: path, file: value.file)))
        }
    }

    /// Takes the member of a key; nil when there is none or it is null.
    mutating func take(_ key: String) -> YAMLValue? {
        known.append(key)
        guard let index = members.firstIndex(where: { $0.key.scalar?.string == key }) else { return nil }
        let member = members.remove(at: index).value
        return member.isNull ? nil : member
    }

    mutating func require(_ key: String) throws(ConfigurationError) -> YAMLValue {
        guard let member = take(key) else {
            let name = value.name.isEmpty ? "the file" : value.name
            throw ConfigurationError(value.place, "\(name) has no \(key)", expected: key, found: "none")
        }
        return member
    }

    /// - Throws: `ConfigurationError` when a member is left.
    func finish() throws(ConfigurationError) {
        guard let unknown = members.first else { return }
        throw ConfigurationError(
            YAMLValue.place(of: unknown.key, in: value.file), "key \(unknown.value.name) is unknown",
            expected: "one of " + known.joined(separator: ", "), found: unknown.key.scalar?.string ?? "a non-text key")
    }
}
