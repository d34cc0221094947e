import Primitives

/// A key of the rules: its place in the file, its values, and the question that it decides.
package struct RuleKey: Sendable {
    package enum Values: Hashable, Sendable {
        case integers(ClosedRange<Int>, unit: String)
        case words([String])
        /// A name in the tz database.
        case timeZone
        case spans
    }

    package enum Value: Hashable, Sendable {
        case integer(Int)
        case word(String)
        case spans([Rules.Span])
    }

    /// The mapping of the file that contains the key.
    package let section: String
    package let name: String
    package let values: Values
    /// The question that the value answers, in a sentence.
    package let question: String
    private let read: @Sendable (Rules) -> Value
    private let write: @Sendable (Value, inout Rules) -> Void

    /// The name with its section, such as `access.ownGraceDays`.
    package var path: String { "\(section).\(name)" }

    package func value(in rules: Rules) -> Value { read(rules) }

    /// Sets the value in `rules`.
    /// - Returns: whether the key permits the value; `rules` stay the same if it does not.
    package func set(_ value: Value, in rules: inout Rules) -> Bool {
        guard values.contain(value) else { return false }
        write(value, &rules)
        return true
    }
}

extension RuleKey {
    init(
        _ section: String, _ name: String, _ path: any WritableKeyPath<Rules, Int> & Sendable,
        in range: ClosedRange<Int>,
        unit: String, question: String
    ) {
        self.init(section: section, name: name, values: .integers(range, unit: unit), question: question) {
            .integer($0[keyPath: path])
        } write: { value, rules in
            if case .integer(let number) = value { rules[keyPath: path] = number }
        }
    }

    init(
        _ section: String, _ name: String, spans path: any WritableKeyPath<Rules, [Rules.Span]> & Sendable,
        question: String
    ) {
        self.init(section: section, name: name, values: .spans, question: question) {
            .spans($0[keyPath: path])
        } write: { value, rules in
            if case .spans(let spans) = value { rules[keyPath: path] = spans }
        }
    }

    init(
        _ section: String, _ name: String, timeZone path: any WritableKeyPath<Rules, String> & Sendable,
        question: String
    ) {
        self.init(section: section, name: name, values: .timeZone, question: question) {
            .word($0[keyPath: path])
        } write: { value, rules in
            if case .word(let name) = value { rules[keyPath: path] = name }
        }
    }

    init<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ section: String, _ name: String, _ path: any WritableKeyPath<Rules, Word> & Sendable, question: String
    ) {
        let values = Values.words(Word.allCases.map(\.rawValue))
        self.init(section: section, name: name, values: values, question: question) {
            .word($0[keyPath: path].rawValue)
        } write: { value, rules in
            if case .word(let text) = value, let word = Word(rawValue: text) { rules[keyPath: path] = word }
        }
    }
}

extension RuleKey.Values: CustomStringConvertible {
    fileprivate func contain(_ value: RuleKey.Value) -> Bool {
        switch (self, value) {
        case (.integers(let range, _), .integer(let number)): range.contains(number)
        case (.words(let words), .word(let word)): words.contains(word)
        case (.timeZone, .word(let name)): TimeZoneTable.isName(name)
        case (.spans, .spans): true
        default: false
        }
    }

    /// The unit and the range, the words, or the form.
    package var description: String {
        switch self {
        case .timeZone: "a time zone, such as America/Los_Angeles"
        case .spans: "a list of {from, until}, until after from or absent"
        case .integers(let range, let unit): "\(unit), \(range.lowerBound) to \(range.upperBound)"
        case .words(let words): words.joined(separator: ", ")
        }
    }
}

extension RuleKey.Value: CustomStringConvertible {
    package var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .word(let word): word
        case .spans(let spans):
            "[" + spans.map { "\($0.from.iso8601)/\($0.until?.iso8601 ?? "..")" }.joined(separator: ", ") + "]"
        }
    }
}
