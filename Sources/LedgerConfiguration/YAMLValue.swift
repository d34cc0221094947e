import Yams

/// A value of a YAML file with its name, read strictly: a value of another form than expected is an error with its
/// place.
///
/// Only plain scalars are numbers, flags and null. Flags and integers are read only in the spelling of JSON: `yes`,
/// `0x1F` and `1:30` have different meanings in different versions of YAML.
struct YAMLValue {
    let node: Node
    /// The path of the value, such as `http.port`; empty for the whole file.
    let name: String
    let file: String

    var isNull: Bool { plainText.map { ["", "~", "null"].contains($0) } ?? false }

    func text() throws(ConfigurationError) -> String {
        guard let text = node.scalar?.string, !isNull, !text.isEmpty else { throw unexpected("a text") }
        return text
    }

    func integer(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        guard let text = plainText, let number = Int(text), String(number) == text, range.contains(number) else {
            throw unexpected("an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(in range: ClosedRange<Double>) throws(ConfigurationError) -> Double {
        guard let text = plainText, let number = Double(text), range.contains(number) else {
            throw unexpected("a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag() throws(ConfigurationError) -> Bool {
        switch plainText {
        case "true": return true
        case "false": return false
        default: throw unexpected("true or false")
        }
    }

    func one<Choice: CaseIterable & RawRepresentable>(
        of type: Choice.Type
    ) throws(ConfigurationError) -> Choice where Choice.RawValue == String {
        guard let word = node.scalar?.string, let choice = type.allCases.first(where: { $0.rawValue == word }) else {
            throw unexpected(oneOf: type.allCases.map(\.rawValue))
        }
        return choice
    }

    func one(of words: [String]) throws(ConfigurationError) -> String {
        guard let word = node.scalar?.string, words.contains(word) else {
            throw unexpected(oneOf: words)
        }
        return word
    }

    func elements() throws(ConfigurationError) -> [YAMLValue] {
        guard let sequence = node.sequence else { throw unexpected("a list") }
        return sequence.enumerated().map { YAMLValue(node: $1, name: "\(name)[\($0)]", file: file) }
    }

    func unexpected(oneOf words: [String]) -> ConfigurationError {
        unexpected("one of " + words.joined(separator: ", "))
    }

    func unexpected(_ expected: String) -> ConfigurationError {
        let found: String =
            switch node {
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "\(scalar.string)"
            case .alias: "an alias"
            }
        return ConfigurationError(
            place, name.isEmpty ? "invalid content" : "invalid value for \(name)", expected: expected, found: found)
    }

    var place: String { Self.place(of: node, in: file) }

    static func place(of node: Node, in file: String) -> String {
        node.mark.map { "\(file):\($0.line):\($0.column)" } ?? file
    }

    private var plainText: String? {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any else { return nil }
        return scalar.string
    }
}
