/// The 16 bytes of a UUID (RFC 9562) as one number, big-endian.
package struct UUIDBytes: Hashable, BitwiseCopyable, Sendable {
    package let value: UInt128

    package init(value: UInt128) {
        self.value = value
    }

    /// Creates a UUID from its text in either case; nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == Self.textCount else { return nil }
        var value: UInt128 = 0
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            if Self.isDash(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Hex.value(of: byte) else { return nil }
                value = value << 4 | UInt128(digit)
            }
        }
        self.value = value
    }

    /// The text in lower case.
    package var text: String {
        String(unsafeUninitializedCapacity: Self.textCount) { text in
            var rest = value
            for index in (0..<Self.textCount).reversed() {
                let isDash = Self.isDash(index)
                let digit = Hex.digit(UInt8(truncatingIfNeeded: rest & 15))
                text.initializeElement(at: index, to: isDash ? UInt8(ascii: "-") : digit)
                if !isDash { rest >>= 4 }
            }
            return Self.textCount
        }
    }

    private static let textCount = 36

    private static func isDash(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }
}
