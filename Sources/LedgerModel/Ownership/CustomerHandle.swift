import Primitives

/// The sixteen random bytes, big-endian, that identify a customer everywhere outside the vault.
package struct CustomerHandle: Hashable, Sendable {
    package let value: UInt128

    package static let byteCount = 16

    package init(value: UInt128) {
        self.value = value
    }

    /// Creates a handle; nil unless there are exactly 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Creates a handle; nil unless the text is 32 hexadecimal digits.
    package init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    package var bytes: [UInt8] {
        value.bigEndianBytes
    }

    package var hex: String { Hex.encode(value) }
}
