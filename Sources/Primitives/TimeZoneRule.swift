/// The offsets of a time zone in all years: a POSIX TZ string (RFC 9636, 3.3.1), such as `PST8PDT,M3.2.0,M11.1.0`.
///
/// Days are given by month, week and weekday, as the tz database gives all of them.
struct TimeZoneRule: Sendable {
    private let standard: Int64
    private let saving: Saving?

    private struct Saving {
        let offset: Int64
        let start: Change
        let end: Change
    }

    /// A weekday of a month, and a time of day in seconds.
    fileprivate struct Change {
        let month: Int64
        /// From 1; 5 for the last.
        let week: Int64
        /// From 0 for Sunday.
        let weekday: Int64
        let time: Int64
    }

    init?(_ text: String) {
        var scanner = RuleScanner(text: Array(text.utf8))
        guard scanner.skipName(), let west = scanner.time() else { return nil }
        standard = -west
        if scanner.isAtEnd {
            saving = nil
            return
        }
        guard scanner.skipName() else { return nil }
        let offset = scanner.isAtComma ? standard + 3_600 : scanner.time().map { -$0 }
        guard let offset, let start = Change(&scanner), let end = Change(&scanner), scanner.isAtEnd else { return nil }
        saving = Saving(offset: offset, start: start, end: end)
    }

    /// - Parameter seconds: since 1970-01-01T00:00:00Z.
    func offset(at seconds: Int64) -> Int64 {
        guard let saving else { return standard }
        let year = CivilDate(daysSinceEpoch: (seconds + standard).flooringDivided(by: 86_400)).year
        let start = saving.start.seconds(in: year) - standard
        let end = saving.end.seconds(in: year) - saving.offset
        let isSaving = start < end ? start <= seconds && seconds < end : !(end <= seconds && seconds < start)
        return isSaving ? saving.offset : standard
    }
}

extension TimeZoneRule.Change {
    fileprivate init?(_ scanner: inout RuleScanner) {
        guard scanner.skip(","), scanner.skip("M"), let month = scanner.number(), (1...12).contains(month),
            scanner.skip("."), let week = scanner.number(), (1...5).contains(week),
            scanner.skip("."), let weekday = scanner.number(), (0...6).contains(weekday)
        else { return nil }
        (self.month, self.week, self.weekday) = (month, week, weekday)
        guard let time = scanner.skip("/") ? scanner.time() : 7_200 else { return nil }
        self.time = time
    }

    /// Returns the local time of the change, in seconds since 1970-01-01.
    fileprivate func seconds(in year: Int64) -> Int64 {
        let isLast = week == 5
        let next = month == 12 ? (year: year + 1, month: Int64(1)) : (year: year, month: month + 1)
        guard let first = CivilDate(year: year, month: month, day: 1),
            let following = CivilDate(year: next.year, month: next.month, day: 1)
        else { return 0 }
        // 1970-01-01 was a Thursday.
        let from = isLast ? following.daysSinceEpoch - 7 : first.daysSinceEpoch + (week - 1) * 7
        let weekdayOfFrom = from + 4 - (from + 4).flooringDivided(by: 7) * 7
        return (from + (weekday - weekdayOfFrom + 7) % 7) * 86_400 + time
    }
}

private struct RuleScanner {
    let text: [UInt8]
    private var index = 0

    init(text: [UInt8]) {
        self.text = text
    }

    var isAtEnd: Bool { index == text.count }
    var isAtComma: Bool { index < text.count && text[index] == UInt8(ascii: ",") }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < text.count, UInt32(text[index]) == character.value else { return false }
        index += 1
        return true
    }

    /// Skips letters, or any characters in angle brackets.
    mutating func skipName() -> Bool {
        let start = index
        if skip("<") {
            while index < text.count, text[index] != UInt8(ascii: ">") { index += 1 }
            return skip(">")
        }
        while index < text.count, (UInt8(ascii: "A")...UInt8(ascii: "z")).contains(text[index]) { index += 1 }
        return index > start
    }

    mutating func number() -> Int64? {
        let start = index
        var value: Int64 = 0
        while index < text.count, (48...57).contains(text[index]), index - start < 4 {
            value = value * 10 + Int64(text[index] - 48)
            index += 1
        }
        return index > start ? value : nil
    }

    /// Reads `[+-]h[:mm[:ss]]` as seconds.
    mutating func time() -> Int64? {
        let sign: Int64 = skip("-") ? -1 : 1
        if sign == 1 { _ = skip("+") }
        guard let hours = number(), hours <= 167 else { return nil }
        var seconds = hours * 3_600
        for unit: Int64 in [60, 1] {
            guard skip(":") else { break }
            guard let part = number(), part < 60 else { return nil }
            seconds += part * unit
        }
        return sign * seconds
    }
}
