extension Instant: CustomStringConvertible {
    public var description: String { iso8601 }

    /// The form `YYYY-MM-DDThh:mm:ss.SSSZ`. Instants outside the years 0000 to 9999 are clamped to this range.
    package var iso8601: String {
        let clamped = min(max(self, .earliest), .latest).milliseconds
        let day = clamped.flooringDivided(by: Self.millisecondsPerDay)
        let time = clamped - day * Self.millisecondsPerDay
        let date = CivilDate(daysSinceEpoch: day)
        return String(unsafeUninitializedCapacity: 24) { text in
            func write(_ value: Int64, at offset: Int, digits: Int, then mark: Unicode.Scalar) {
                var rest = value
                for index in stride(from: offset + digits - 1, through: offset, by: -1) {
                    text[index] = UInt8(48 + rest % 10)
                    rest /= 10
                }
                text[offset + digits] = UInt8(ascii: mark)
            }
            write(date.year, at: 0, digits: 4, then: "-")
            write(date.month, at: 5, digits: 2, then: "-")
            write(date.day, at: 8, digits: 2, then: "T")
            write(time / 3_600_000, at: 11, digits: 2, then: ":")
            write(time / 60_000 % 60, at: 14, digits: 2, then: ":")
            write(time / 1_000 % 60, at: 17, digits: 2, then: ".")
            write(time % 1_000, at: 20, digits: 3, then: "Z")
            return 24
        }
    }

    /// Reads `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss` with up to nine fractional digits and `Z` or `±hh:mm` (RFC 3339). A
    /// date alone is its first instant in UTC. Fractions are rounded to the nearest millisecond.
    package init?(iso8601 text: String) {
        var scanner = DigitScanner(bytes: Array(text.utf8))
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let midnight = date.daysSinceEpoch * Self.millisecondsPerDay
        if scanner.isAtEnd {
            self.init(milliseconds: midnight)
            return
        }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(digits: 2), hour < 24, scanner.skip(":"),
            let minute = scanner.number(digits: 2), minute < 60, scanner.skip(":"),
            let second = scanner.number(digits: 2), second < 60
        else { return nil }
        guard let fraction = scanner.fractionInMilliseconds(), let offset = scanner.utcOffsetInMinutes(),
            scanner.isAtEnd
        else { return nil }
        let local = midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
        let instant = Instant(milliseconds: local - offset * Self.millisecondsPerMinute)
        guard instant >= .earliest, instant <= .latest else { return nil }
        self = instant
    }
}

/// A day of the proleptic Gregorian calendar, after Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Hashable, Sendable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// Nil when the day does not exist, or is outside the years 0000 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    package init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted.flooringDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the UTC date of an instant, clamped to the years 0000 to 9999.
    package init(of instant: Instant) {
        let clamped = min(max(instant, .earliest), .latest).milliseconds
        self.init(daysSinceEpoch: clamped.flooringDivided(by: Instant.millisecondsPerDay))
    }

    package var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooringDivided(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    package func flooringDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

private struct DigitScanner {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    mutating func digit() -> Int64? {
        guard index < bytes.count, bytes[index] >= 48, bytes[index] <= 57 else { return nil }
        index += 1
        return Int64(bytes[index - 1] - 48)
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let next = digit() else { return nil }
            value = value * 10 + next
        }
        return value
    }

    /// Returns 0 without a fraction; nil for a point without digits or with more than nine.
    mutating func fractionInMilliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        guard var nanoseconds = digit() else { return nil }
        var digits = 1
        while let next = digit() {
            guard digits < 9 else { return nil }
            nanoseconds = nanoseconds * 10 + next
            digits += 1
        }
        for _ in digits..<9 { nanoseconds *= 10 }
        return (nanoseconds + 500_000) / 1_000_000
    }

    /// Returns the minutes east of UTC.
    mutating func utcOffsetInMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
