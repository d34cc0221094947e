/// A factor, exact. The denominator is positive.
package struct Fraction: Hashable, Sendable {
    package let numerator: UInt64
    package let denominator: UInt64

    package static let one = Fraction(1, over: 1)

    /// - Precondition: the denominator is positive.
    package init(_ numerator: UInt64, over denominator: UInt64) {
        precondition(denominator > 0)
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    package init(_ numerator: Int, over denominator: Int) {
        self.init(UInt64(numerator), over: UInt64(denominator))
    }
}

extension Int64 {
    /// Returns the product with all factors, rounded once, half to even; nil when a step exceeds its range: 128 bits, or
    /// `Int64` for the result.
    package func scaled(by factors: Fraction...) -> Int64? {
        var product = UInt128(magnitude)
        var divisor: UInt128 = 1
        for factor in factors {
            let numerator = product.multipliedReportingOverflow(by: UInt128(factor.numerator))
            let denominator = divisor.multipliedReportingOverflow(by: UInt128(factor.denominator))
            guard !numerator.overflow, !denominator.overflow else { return nil }
            (product, divisor) = (numerator.partialValue, denominator.partialValue)
        }
        var (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
        let missing = divisor - remainder
        if remainder > missing || remainder == missing && quotient & 1 == 1 { quotient += 1 }
        guard let magnitude = Int64(exactly: quotient) else { return nil }
        return self < 0 ? -magnitude : magnitude
    }
}
