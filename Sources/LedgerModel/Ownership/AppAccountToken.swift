/// The UUID that an app sets at purchase to name the customer. Apple signs it into the transaction.
///
/// Tokens are compared in lower case. The nil UUID, which apps without users send, names no customer.
package struct AppAccountToken: Hashable, Sendable {
    /// The UUID in lower case.
    package let text: String

    /// Creates a token; nil unless the text is a UUID other than the nil UUID.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.byteCount else { return nil }
        var isNil = true
        for (index, byte) in bytes.enumerated() {
            if Self.dashes.contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard Self.isHexadecimal(byte) else { return nil }
                if byte != UInt8(ascii: "0") { isNil = false }
            }
        }
        guard !isNil else { return nil }
        // Among hexadecimal digits and dashes, this bit changes only upper-case letters.
        self.text = String(decoding: bytes.map { $0 | 0x20 }, as: UTF8.self)
    }

    private static let byteCount = 36
    private static let dashes: Set<Int> = [8, 13, 18, 23]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension Fact {
    /// The token as stated; nil for facts without one.
    package var appAccountToken: String? {
        switch self {
        case .transaction(let fact): fact.appAccountToken
        case .renewal(let fact): fact.appAccountToken
        case .notification, .app: nil
        }
    }
}
