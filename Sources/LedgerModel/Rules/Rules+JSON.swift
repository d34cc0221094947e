package import Primitives

extension Rules {
    /// The version of the file format.
    package static let version = 1

    /// The rules with every default filled in.
    package var json: JSONValue {
        let sections = Self.sections.map { section in
            let settings = Self.keys(in: section).map { JSONValue.Member($0.name, JSONValue($0.value(in: self))) }
            return JSONValue.Member(section, .object(settings))
        }
        return .object(
            [.init("version", .integer(Int64(Self.version))), .init("name", .string(name))] + sections)
    }

    /// The SHA-256 of the RFC 8785 form of `json`.
    package var digest: Digest { .sha256(of: json.canonical()) }

    /// Creates rules from their JSON form. Omitted settings have their defaults.
    /// - Returns: nil for a key or a value that only a later version knows.
    package init?(json: JSONView) {
        guard json["version"]?.integer == Int64(Self.version), let name = json["name"]?.string else { return nil }
        self.init()
        self.name = name
        for section in json.members where !["version", "name"].contains(section.key) {
            let keys = Self.keys(in: section.key)
            for setting in section.value.members {
                guard let key = keys.first(where: { $0.name == setting.key }),
                    let value = RuleKey.Value(setting.value), key.set(value, in: &self)
                else { return nil }
            }
        }
    }
}

extension JSONValue {
    fileprivate init(_ value: RuleKey.Value) {
        switch value {
        case .integer(let number): self = .integer(Int64(number))
        case .word(let word): self = .string(word)
        case .spans(let spans):
            self = .array(
                spans.map { span in
                    .object(["from": JSONValue(span.from), "until": span.until.map { JSONValue($0) } ?? .null])
                })
        }
    }
}

extension RuleKey.Value {
    fileprivate init?(_ json: JSONView) {
        if let word = json.string {
            self = .word(word)
        } else if let number = json.integer {
            self = .integer(Int(number))
        } else if let elements = json.elements {
            let spans = elements.compactMap { element -> Rules.Span? in
                guard let from = element["from"]?.string.flatMap({ Instant(iso8601: $0) }) else { return nil }
                guard let until = element["until"]?.string else { return Rules.Span(from: from, until: nil) }
                return Instant(iso8601: until).flatMap { Rules.Span(from: from, until: $0) }
            }
            guard spans.count == elements.count else { return nil }
            self = .spans(spans)
        } else {
            return nil
        }
    }
}
