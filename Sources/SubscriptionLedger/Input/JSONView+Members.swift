package import Primitives

/// Members of a request's body. A misspelt member is rejected, because ignoring it would change the meaning of the
/// request.
extension JSONView {
    /// - Throws: `posting_malformed` for a value that is not an object, and for a member whose name is not in `names`.
    package func requireMembers(_ names: [String]) throws(CustomerError) {
        guard isObject else { throw .malformed("the body", expected: "a JSON object", found: type.phrase) }
        if let member = members.first(where: { !names.contains($0.key) }) {
            throw CustomerError(
                .postingMalformed, "unknown member of the body", expected: names.joined(separator: ", "),
                found: member.key)
        }
    }

    /// Returns the text of a member; nil for an absent member and for null.
    /// - Throws: `posting_malformed` for a value of another type.
    package func text(of name: StaticString) throws(CustomerError) -> String? {
        guard let member = self[name], !member.isNull else { return nil }
        guard let text = member.string else {
            throw .malformed("\(name)", expected: "a string", found: member.type.phrase)
        }
        return text
    }

    /// Returns the text of a member that the body must have.
    /// - Throws: `posting_malformed` for an absent member, for null and for a value of another type.
    package func requiredText(of name: StaticString) throws(CustomerError) -> String {
        guard let text = try text(of: name) else {
            throw .malformed("\(name)", expected: "a string", found: "none")
        }
        return text
    }

    /// Returns the value of a member; false for an absent member and for null.
    /// - Throws: `posting_malformed` for a value of another type.
    package func flag(of name: StaticString) throws(CustomerError) -> Bool {
        guard let member = self[name], !member.isNull else { return false }
        guard let flag = member.bool else {
            throw .malformed("\(name)", expected: "true or false", found: member.type.phrase)
        }
        return flag
    }
}

extension JSONType {
    /// The type with its article, for errors.
    var phrase: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
