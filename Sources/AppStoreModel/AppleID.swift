package import Primitives

/// An id that Apple assigns: of a transaction, a line item, or an app transaction. Nearly all are decimal numbers.
public struct AppleID: Hashable, BitwiseCopyable, Sendable {
    /// The number; for any other text, the index of its symbol with the highest bit set.
    @usableFromInline
    let bits: UInt64

    private static let symbolFlag: UInt64 = 1 << 63

    /// Interns a text that is not a decimal number below 2^63 in canonical form.
    package init(_ text: String) {
        bits = Self.number(text) ?? Self.symbolFlag | UInt64(Symbol(text).index)
    }

    /// Creates an id without interning its text; nil for a text, other than a number, that no id of this process has.
    package init?(existing text: String) {
        if let number = Self.number(text) {
            bits = number
        } else {
            guard let symbol = Symbol(existing: text) else { return nil }
            bits = Self.symbolFlag | UInt64(symbol.index)
        }
    }

    @inlinable
    public static func == (left: AppleID, right: AppleID) -> Bool { left.bits == right.bits }

    package var text: String {
        switch form {
        case .number(let number): String(number)
        case .symbol(let symbol): symbol.text
        }
    }

    /// The two forms of an id, for codecs.
    package enum Form: Sendable {
        /// Below 2^63.
        case number(UInt64)
        case symbol(Symbol)
    }

    package var form: Form {
        // Only the index of a symbol is ever combined with the flag.
        guard !isNumber, let symbol = Symbol(index: UInt32(truncatingIfNeeded: bits)) else { return .number(bits) }
        return .symbol(symbol)
    }

    /// Creates an id that `form` returned.
    package init(_ form: Form) {
        switch form {
        case .number(let number): bits = number & ~Self.symbolFlag
        case .symbol(let symbol): bits = Self.symbolFlag | UInt64(symbol.index)
        }
    }

    private var isNumber: Bool { bits & Self.symbolFlag == 0 }

    /// Returns the number that a text spells without leading zeros; nil for any other text.
    private static func number(_ text: String) -> UInt64? {
        let digits = text.utf8.span
        guard (1...19).contains(digits.count), digits[0] != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var number: UInt64 = 0
        for index in digits.indices {
            let byte = digits[index]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            // 19 digits are below 2^64.
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number & symbolFlag == 0 ? number : nil
    }
}

extension AppleID: Comparable {
    /// Compares the bytes of the texts, so "10" precedes "9".
    public static func < (left: AppleID, right: AppleID) -> Bool {
        guard left.isNumber, right.isNumber else { return left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
        let (leftScaled, rightScaled) = (left.scaled, right.scaled)
        return leftScaled == rightScaled ? left.bits < right.bits : leftScaled < rightScaled
    }

    /// The number with zeros appended up to 19 digits, which orders numbers like their texts.
    private var scaled: UInt64 {
        var scaled = bits
        while scaled > 0, scaled < 1_000_000_000_000_000_000 { scaled *= 10 }
        return scaled
    }
}

extension AppleID {
    /// Whether the id precedes another by length, then by bytes, so "9" precedes "10". Apple assigns ids in about this
    /// order.
    package func isSmaller(than other: AppleID) -> Bool {
        // Numbers have no leading zeros.
        guard !isNumber || !other.isNumber else { return bits < other.bits }
        let (text, otherText) = (text.utf8, other.text.utf8)
        return text.count == otherText.count ? text.lexicographicallyPrecedes(otherText) : text.count < otherText.count
    }
}

extension AppleID: CustomStringConvertible {
    public var description: String { text }
}

extension AppleID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
