/// The reason that bytes are not an encoded fact. Two errors are equal when their codes are.
package struct FactCodecError: Error, Hashable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// Encoded by another version.
        package static let versionUnknown = Code(rawValue: "fact_version_unknown")
        package static let truncated = Code(rawValue: "fact_truncated")
        /// A byte that no encoder writes there: unknown, out of order, not minimal, not UTF-8, or left over.
        package static let malformed = Code(rawValue: "fact_malformed")
    }

    package let code: Code
    package let expected: String
    package let found: String

    package init(_ code: Code, expected: String, found: String) {
        self.code = code
        self.expected = expected
        self.found = found
    }

    package static func == (left: FactCodecError, right: FactCodecError) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension FactCodecError: CustomStringConvertible {
    package var description: String {
        "\(code.rawValue): a stored fact is damaged; expected \(expected), found \(found). "
            + "Rebuild the facts from the log."
    }
}
