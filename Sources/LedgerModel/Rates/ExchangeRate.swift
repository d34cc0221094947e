package import Primitives

/// The price of a unit of one currency in another: an exact positive decimal.
package struct ExchangeRate: Hashable, Sendable {
    private static let digitLimit = 15

    package let text: String
    package let factor: Fraction

    /// Reads digits with at most one decimal point, such as "1.0352".
    /// - Returns: nil for another form, for 0, and for more than 15 digits.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        let digits = parts.joined()
        guard isDecimal, digits.utf8.count <= Self.digitLimit, let value = UInt64(digits), value > 0 else { return nil }
        let decimals = parts.count == 2 ? parts[1].utf8.count : 0
        self.text = text
        factor = Fraction(value, over: (0..<decimals).reduce(1) { power, _ in power * 10 })
    }

    package static let form = "a positive decimal of at most 15 digits in quotation marks, such as \"1.0352\""
}
