/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014). A seed gives the same
/// numbers on every machine and with every version of the standard library, whose own algorithms may change.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Creates a generator that is independent of the other streams of the same seed.
    package init(seed: UInt64, stream: UInt64) {
        state = seed ^ Self.mixed(stream &+ 1)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

extension SeededGenerator {
    /// Returns a number in 0 ..< bound. The bias of the remainder is below bound / 2^64.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "there is nothing below \(bound)")
        return Int(next() % UInt64(bound))
    }

    package mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(below(Int(range.upperBound - range.lowerBound) + 1))
    }

    package mutating func element<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    package mutating func chance(percent: Int) -> Bool {
        below(100) < percent
    }

    /// A random UUID, RFC 9562 version 4.
    package mutating func uuid() -> String {
        var digits = [UInt64](repeating: 0, count: 2)
        digits[0] = next() & ~0xF000 | 0x4000
        digits[1] = next() & ~(0b11 << 62) | 0b10 << 62
        let text = digits.map { word in
            let hex = String(word, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }
        let high = text[0]
        let low = text[1]
        return "\(high.prefix(8))-\(high.dropFirst(8).prefix(4))-\(high.suffix(4))-\(low.prefix(4))-\(low.dropFirst(4))"
    }
}
