/// What is wrong with a configuration, and where it stands.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The file with line and column, or the variable.
    package let place: String
    package let message: String
    package let expected: String?
    package let found: String?
    package let hint: String?

    package init(
        _ place: String, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil
    ) {
        self.place = place
        self.message = message
        self.expected = expected
        self.found = found
        self.hint = hint
    }
}
