/// The description of a failure or a refusal, in one shape for every module, command and route.
package struct Diagnosis: Hashable, Sendable {
    /// A stable word in snake case, for programs. The other texts are for people.
    package let code: String
    package let message: String
    package let expected: String?
    package let found: String?
    /// The remedy, a sentence.
    package var hint: String?
    /// Whether the same call may succeed later without any change.
    package let isRetryable: Bool

    /// - Parameter found: a value from outside; only its first 120 scalars are kept, without control characters.
    package init(
        _ code: String, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil,
        isRetryable: Bool = false
    ) {
        self.code = code
        self.message = message
        self.expected = expected
        self.found = found.map(Self.bounded)
        self.hint = hint
        self.isRetryable = isRetryable
    }

    /// Scalars are counted, since a single `Character` has no length limit.
    private static func bounded(_ text: String) -> String {
        var bounded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(foundLimit) {
            bounded.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return String(bounded) + (text.unicodeScalars.count > foundLimit ? "…" : "")
    }

    private static let foundLimit = 120
}

extension Diagnosis: CustomStringConvertible {
    /// `CODE: MESSAGE; expected EXPECTED, found FOUND. HINT`
    package var description: String { "\(code): \(sentences)" }

    /// `MESSAGE; expected EXPECTED, found FOUND. HINT`
    package var sentences: String {
        var text = message
        if let expected { text += "; expected \(expected)" }
        if let found { text += "\(expected == nil ? ";" : ",") found \(found)" }
        return text + "." + (hint.map { " \($0)" } ?? "")
    }
}

/// An error of this package.
package protocol DiagnosedError: Error {
    var diagnosis: Diagnosis { get }
}

extension DiagnosedError {
    package var message: String { diagnosis.message }
    package var expected: String? { diagnosis.expected }
    package var found: String? { diagnosis.found }
    package var hint: String? { diagnosis.hint }
}
