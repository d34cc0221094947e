/// The offsets of a time zone from UTC: a compiled table of the tz database (RFC 9636).
package struct TimeZoneTable: Sendable {
    package static let utc = TimeZoneTable(name: "UTC", digest: .zero, transitions: [], first: 0, rule: nil)

    /// The name in the tz database, such as `America/Los_Angeles`.
    package let name: String
    /// The SHA-256 of the compiled table; zero for UTC.
    package let digest: Digest
    /// In seconds, ascending.
    private let transitions: [(at: Int64, offset: Int64)]
    /// The offset before the first transition.
    private let first: Int64
    /// The offsets after the last transition.
    private let rule: TimeZoneRule?

    private init(
        name: String, digest: Digest, transitions: [(at: Int64, offset: Int64)], first: Int64, rule: TimeZoneRule?
    ) {
        (self.name, self.digest, self.transitions, self.first, self.rule) = (name, digest, transitions, first, rule)
    }

    /// Whether a text has the form of a name in the tz database. It then is a relative path without `..`.
    package static func isName(_ text: String) -> Bool {
        let allowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(allowed) && !text.hasPrefix("/")
    }

    /// Reads a compiled table of version 2 or later; nil for anything else.
    package init?(name: String, tzif bytes: [UInt8]) {
        // The first block has 32-bit times, for readers of version 1.
        guard let old = TZifHeader(bytes, at: 0), old.version >= UInt8(ascii: "2"),
            let header = TZifHeader(bytes, at: TZifHeader.size + old.byteCount(timeSize: 4)), header.types > 0
        else { return nil }
        let start = TZifHeader.size * 2 + old.byteCount(timeSize: 4)
        let end = start + header.byteCount(timeSize: 8)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\n") else { return nil }
        let indices = start + header.times * 8
        let types = indices + header.times
        func offset(_ type: Int) -> Int64? {
            type < header.types ? bytes.bigEndian(at: types + type * 6, size: 4) : nil
        }
        var transitions: [(at: Int64, offset: Int64)] = []
        for index in 0..<header.times {
            guard let offset = offset(Int(bytes[indices + index])) else { return nil }
            transitions.append((bytes.bigEndian(at: start + index * 8, size: 8), offset))
        }
        let footer = String(decoding: bytes[(end + 1)..<(bytes.count - 1)], as: UTF8.self)
        let rule = TimeZoneRule(footer)
        guard let first = offset(0), rule != nil || footer.isEmpty else { return nil }
        self.init(name: name, digest: .sha256(of: bytes), transitions: transitions, first: first, rule: rule)
    }

    /// Returns the seconds that clocks of the zone are ahead of UTC.
    /// - Complexity: O(log n) for n transitions.
    package func offset(at instant: Instant) -> Int64 {
        let seconds = instant.milliseconds.flooringDivided(by: 1_000)
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rule { return rule.offset(at: seconds) }
        return low == 0 ? first : transitions[low - 1].offset
    }

    /// Returns the day that a calendar in the zone shows.
    package func date(of instant: Instant) -> CivilDate {
        let clamped = min(max(instant, .earliest), .latest)
        return CivilDate(of: clamped.advanced(byMilliseconds: offset(at: clamped) * 1_000))
    }

    /// Returns the first instant at which clocks of the zone show a day or a later one.
    /// - Parameter day: days since 1970-01-01.
    package func start(ofDay day: Int64) -> Instant {
        first(showing: day * Instant.millisecondsPerDay)
    }

    /// Returns the first instant at which clocks of the zone show a time or a later one.
    /// - Parameter time: milliseconds since 1970-01-01T00:00:00 on the clock.
    package func first(showing time: Int64) -> Instant {
        let offsets = [-Instant.millisecondsPerDay, Instant.millisecondsPerDay].map {
            offset(at: Instant(milliseconds: time + $0)) * 1_000
        }
        func shows(_ instant: Int64) -> Bool {
            instant + offset(at: Instant(milliseconds: instant)) * 1_000 >= time
        }
        var low = time - max(offsets[0], offsets[1])
        var high = time - min(offsets[0], offsets[1])
        // Between the two, the offset changes at most once.
        while low < high {
            let middle = shows(low) ? low : low + (high - low) / 2
            if shows(middle) { high = middle } else { low = middle + 1 }
        }
        return Instant(milliseconds: low)
    }
}

/// The header of a data block: the numbers of its parts.
private struct TZifHeader {
    static let size = 44

    let version: UInt8
    let times: Int
    let types: Int
    private let isUTCount: Int
    private let isStandardCount: Int
    private let leapCount: Int
    private let nameBytes: Int

    /// Nil when the bytes have no header there, or end before its block does.
    init?(_ bytes: [UInt8], at offset: Int) {
        guard bytes.count >= offset + Self.size, bytes[offset..<offset + 4].elementsEqual("TZif".utf8) else {
            return nil
        }
        version = bytes[offset + 4]
        let counts = (0..<6).map { Int(bytes.bigEndian(at: offset + 20 + $0 * 4, size: 4)) }
        guard counts.allSatisfy({ (0...65_536).contains($0) }) else { return nil }
        (isUTCount, isStandardCount, leapCount) = (counts[0], counts[1], counts[2])
        (times, types, nameBytes) = (counts[3], counts[4], counts[5])
        guard bytes.count >= offset + Self.size + byteCount(timeSize: 4) else { return nil }
        if offset > 0, bytes.count < offset + Self.size + byteCount(timeSize: 8) { return nil }
    }

    /// Returns the size of the block after the header.
    func byteCount(timeSize: Int) -> Int {
        times * (timeSize + 1) + types * 6 + nameBytes + leapCount * (timeSize + 4) + isStandardCount + isUTCount
    }
}

extension [UInt8] {
    /// Reads a signed integer of 4 or 8 bytes.
    fileprivate func bigEndian(at offset: Int, size: Int) -> Int64 {
        let value = self[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
