import Primitives

/// The texts of values in CSV.
extension [UInt8] {
    mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: value.magnitude)
    }

    /// Appends `value` / 10^`fractionDigits`, with all digits of the fraction.
    mutating func append(decimal value: Int64, fractionDigits: Int) {
        var unit: UInt64 = 1
        for _ in 0..<fractionDigits { unit *= 10 }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: unit)
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: whole)
        append(count: fractionDigits + 1) { text in
            text[0] = UInt8(ascii: ".")
            text.write(fraction, at: 1, digits: fractionDigits)
        }
    }

    /// Appends the form `YYYY-MM-DD`.
    mutating func append(day: Int64) {
        append(count: 10) { $0.write(day: day) }
    }

    /// Appends the form `YYYY-MM-DDThh:mm:ss.SSSZ`.
    mutating func append(instant: Instant) {
        let day = instant.milliseconds.flooringDivided(by: Instant.millisecondsPerDay)
        let time = UInt64(instant.milliseconds - day * Instant.millisecondsPerDay)
        append(count: 24) { text in
            text.write(day: day)
            text[10] = UInt8(ascii: "T")
            text.write(time / 3_600_000, at: 11, digits: 2)
            text[13] = UInt8(ascii: ":")
            text.write(time / 60_000 % 60, at: 14, digits: 2)
            text[16] = UInt8(ascii: ":")
            text.write(time / 1_000 % 60, at: 17, digits: 2)
            text[19] = UInt8(ascii: ".")
            text.write(time % 1_000, at: 20, digits: 3)
            text[23] = UInt8(ascii: "Z")
        }
    }

    private mutating func append(digits value: UInt64) {
        var (count, rest) = (1, value)
        while rest >= 10 {
            count += 1
            rest /= 10
        }
        append(count: count) { $0.write(value, at: 0, digits: count) }
    }

    /// Appends `count` bytes, which `write` sets.
    private mutating func append(count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        append(addingCapacity: count) { output in
            output.withUnsafeMutableBufferPointer { text, initialized in
                write(text)
                initialized = count
            }
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the last digits of a number, with leading zeros.
    fileprivate func write(_ value: UInt64, at offset: Int, digits: Int) {
        var rest = value
        for index in stride(from: offset + digits - 1, through: offset, by: -1) {
            self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    fileprivate func write(day: Int64) {
        let date = CivilDate(daysSinceEpoch: day)
        write(UInt64(date.year), at: 0, digits: 4)
        self[4] = UInt8(ascii: "-")
        write(UInt64(date.month), at: 5, digits: 2)
        self[7] = UInt8(ascii: "-")
        write(UInt64(date.day), at: 8, digits: 2)
    }
}
