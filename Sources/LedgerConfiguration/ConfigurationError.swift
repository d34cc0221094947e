package import Primitives

/// An error in a configuration, rules, catalogue or rates file.
package struct ConfigurationError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        case configurationInvalid = "configuration_invalid"
        case rulesInvalid = "rules_invalid"
        case catalogInvalid = "catalog_invalid"
        case ratesInvalid = "rates_invalid"
    }

    /// The file with line and column, or the variable.
    package let place: String
    package let diagnosis: Diagnosis

    package init(
        _ place: String, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil,
        code: Code = .configurationInvalid
    ) {
        self.place = place
        diagnosis = Diagnosis(
            code.rawValue, "\(place): \(message)", expected: expected, found: found, hint: hint)
    }

    init(_ code: Code, _ place: String, _ diagnosis: Diagnosis) {
        self.place = place
        self.diagnosis = Diagnosis(
            code.rawValue, diagnosis.message, expected: diagnosis.expected, found: diagnosis.found,
            hint: diagnosis.hint)
    }
}
