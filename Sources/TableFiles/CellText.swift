import Primitives

/// The texts of values in CSV.
extension [UInt8] {
    mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: value.magnitude, count: Self.digitCount(value.magnitude))
    }

    /// Appends `value` / 10^`fractionDigits`, with all digits of the fraction.
    mutating func append(decimal value: Int64, fractionDigits: Int) {
        var unit: UInt64 = 1
        for _ in 0..<fractionDigits { unit *= 10 }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: unit)
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: whole, count: Self.digitCount(whole))
        append(UInt8(ascii: "."))
        append(digits: fraction, count: fractionDigits)
    }

    /// Appends the form `YYYY-MM-DD`.
    mutating func append(day: Int64) {
        let date = CivilDate(daysSinceEpoch: day)
        append(date.year, digits: 4, then: "-")
        append(date.month, digits: 2, then: "-")
        append(digits: UInt64(date.day), count: 2)
    }

    /// Appends the form `YYYY-MM-DDThh:mm:ss.SSSZ`.
    mutating func append(instant: Instant) {
        let day = instant.milliseconds.flooringDivided(by: Instant.millisecondsPerDay)
        let time = instant.milliseconds - day * Instant.millisecondsPerDay
        append(day: day)
        append(UInt8(ascii: "T"))
        append(time / Instant.millisecondsPerHour, digits: 2, then: ":")
        append(time / Instant.millisecondsPerMinute % 60, digits: 2, then: ":")
        append(time / 1_000 % 60, digits: 2, then: ".")
        append(time % 1_000, digits: 3, then: "Z")
    }

    private mutating func append(_ value: Int64, digits: Int, then mark: Unicode.Scalar) {
        append(digits: UInt64(value), count: digits)
        append(UInt8(ascii: mark))
    }

    /// Appends the last `count` digits of a number, with leading zeros.
    private mutating func append(digits value: UInt64, count: Int) {
        append(addingCapacity: count) { output in
            output.withUnsafeMutableBufferPointer { digits, initialized in
                var rest = value
                for index in stride(from: count - 1, through: 0, by: -1) {
                    digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                initialized = count
            }
        }
    }

    private static func digitCount(_ value: UInt64) -> Int {
        var (count, limit) = (1, UInt64(10))
        while count < 20, value >= limit {
            count += 1
            limit = limit.multipliedReportingOverflow(by: 10).partialValue
        }
        return count
    }
}
