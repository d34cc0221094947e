package import LedgerModel
import LedgerStorage
import Primitives
import Yams

/// A rules file, read as a whole.
package struct RulesFile: Sendable {
    package let text: String
    package let rules: Rules

    /// Reads a file of at most 1 MiB.
    ///
    /// - Parameter afterReading: called after the last read, before the check that the file is still the same. For
    ///   tests.
    /// - Throws: `ConfigurationError` `rules_invalid`, with line and column for text that is not YAML, for unknown keys,
    ///   for bad values, and for a time zone that this machine does not have; without them for a file that cannot be
    ///   read or that changed while it was read.
    package init(path: String, afterReading: () throws -> Void = {}) throws {
        do {
            text = try YAMLValue.text(of: path, afterReading: afterReading)
        } catch let failure as InputFailure {
            throw ConfigurationError(path, "the rules file cannot be read", found: failure.reason, code: .rulesInvalid)
        } catch let error as ConfigurationError {
            throw ConfigurationError(.rulesInvalid, error.place, error.diagnosis)
        }
        rules = try Rules(yaml: text, file: path)
        do throws(ZoneUnknown) {
            _ = try TimeZoneDatabase.table(named: rules.retention.zone)
        } catch {
            let place = YAMLValue.place(of: "zone", in: "retention", of: text, path)
            throw ConfigurationError(.rulesInvalid, place, error.diagnosis.at(place))
        }
    }
}

extension YAMLValue {
    /// Returns the place of a member of a section.
    fileprivate static func place(of member: String, in section: String, of text: String, _ file: String) -> String {
        let node = (try? parse(text, file))?.mapping?[Node(section)]?.mapping?[Node(member)]
        return node.map { place(of: $0, in: file) } ?? file
    }
}

extension Diagnosis {
    fileprivate func at(_ place: String) -> Diagnosis {
        Diagnosis(code, "\(place): \(message)", expected: expected, found: found, hint: hint)
    }
}

extension Rules {
    /// Reads the text of a rules file. Omitted members have their defaults.
    ///
    /// - Parameter file: the name of the text in errors.
    /// - Throws: `rules_invalid` with line and column.
    package init(yaml: String, file: String) throws(ConfigurationError) {
        self.init()
        do throws(ConfigurationError) {
            try read(yaml, file)
        } catch {
            throw ConfigurationError(.rulesInvalid, error.place, error.diagnosis)
        }
    }

    private mutating func read(_ yaml: String, _ file: String) throws(ConfigurationError) {
        guard let node = try YAMLValue.parse(yaml, file) else { return }
        var members = try YAMLMapping(YAMLValue(node: node, name: "", file: file))
        _ = try members.take("version")?.integer(in: Self.version...Self.version)
        if let member = members.take("name") { name = try Self.name(member) }
        for section in Self.sections {
            if let member = members.take(section) { try read(Self.keys(in: section), from: member) }
        }
        try members.finish()
    }

    private mutating func read(_ keys: [RuleKey], from section: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(section)
        for key in keys {
            guard let member = members.take(key.name) else { continue }
            let value: RuleKey.Value =
                switch key.values {
                case .integers(let range, _): .integer(try member.integer(in: range))
                case .words(let words): .word(try member.one(of: words))
                case .timeZone: .word(try member.text())
                case .spans: .spans(try Self.spans(member))
                }
            guard key.set(value, in: &self) else { throw member.unexpected(key.values.description) }
        }
        try members.finish()
    }

    private static func spans(_ value: YAMLValue) throws(ConfigurationError) -> [Span] {
        var spans: [Span] = []
        for element in try value.elements() {
            var members = try YAMLMapping(element)
            let from = try members.require("from").instant()
            let until = try members.take("until").map { member throws(ConfigurationError) in try member.instant() }
            guard let span = Span(from: from, until: until) else { throw element.unexpected("until after from") }
            try members.finish()
            spans.append(span)
        }
        return spans
    }

    private static func name(_ value: YAMLValue) throws(ConfigurationError) -> String {
        let name = try value.text()
        guard isName(name) else { throw value.unexpected(nameForm) }
        return name
    }
}
