/// The two base64 alphabets of RFC 4648, canonical forms only. A value has exactly one text, so texts can replace
/// values when identities are compared.
///
/// Decoding rejects letters outside the alphabet, white space, wrong padding, impossible lengths, and spare bits that
/// are not zero (RFC 4648 §3.5).
package enum Base64 {
    /// Standard alphabet, padded (x5c entries, PEM bodies, notes).
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var length = text.count
        if length > 0, text[length - 1] == Base64Alphabet.pad { length -= 1 }
        if length > 0, text[length - 1] == Base64Alphabet.pad { length -= 1 }
        return Base64Alphabet.standard.decode(UnsafeRawBufferPointer(rebasing: text[..<length]))
    }

    package static func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes(decode(_:))
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(Array(bytes), padded: true)
    }
}

package enum Base64URL {
    /// URL-safe alphabet, unpadded (the three segments of a JWS, RFC 7515 §2).
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }

    package static func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes(decode(_:))
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.urlSafe.encode(Array(bytes), padded: false)
    }

    package static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        Base64Alphabet.urlSafe.append(bytes, to: &text)
    }
}

private final class Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+", "/")
    static let urlSafe = Base64Alphabet(last: "-", "_")
    static let pad = UInt8(ascii: "=")
    private static let invalid: UInt32 = 1 << 31

    private let letters: [UInt8]
    /// The two letters of each 12-bit value, the first in the low byte.
    private let pairs: [UInt16]
    /// Four tables of 256: the bits that a letter at place 0, 1, 2 or 3 of a group adds to its 24 bits, or `invalid`
    /// for other bytes. Four look-ups and three ORs decode a group, at a fraction of the cost of hashing it.
    private let values: [UInt32]

    private init(last: Unicode.Scalar, _ veryLast: Unicode.Scalar) {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)\(veryLast)"
        letters = Array(text.utf8)
        var table = [UInt32](repeating: Self.invalid, count: 1_024)
        for (value, letter) in letters.enumerated() {
            for place in 0..<4 {
                table[place << 8 | Int(letter)] = UInt32(value) << UInt32(18 - 6 * place)
            }
        }
        values = table
        let letters = letters
        pairs = (0..<4_096).map { UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8 }
    }

    /// Decodes `text`, which has no padding.
    func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let groups = text.count / 4
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let count = groups * 3 + (rest == 0 ? 0 : rest - 1)
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            values.withUnsafeBufferPointer { table in
                var seen: UInt32 = 0
                for group in 0..<groups {
                    // In bounds: group < text.count / 4, table indices are below 4 × 256, and the output has 3 bytes
                    // per group.
                    let word = text.loadUnaligned(fromByteOffset: group &* 4, as: UInt32.self).littleEndian
                    let bits =
                        table[Int(word & 255)] | table[256 | Int(word >> 8 & 255)]
                        | table[512 | Int(word >> 16 & 255)] | table[768 | Int(word >> 24)]
                    seen |= bits
                    output[group &* 3] = UInt8(truncatingIfNeeded: bits >> 16)
                    output[group &* 3 &+ 1] = UInt8(truncatingIfNeeded: bits >> 8)
                    output[group &* 3 &+ 2] = UInt8(truncatingIfNeeded: bits)
                }
                if rest > 0 {
                    var bits: UInt32 = 0
                    for place in 0..<rest { bits |= table[place << 8 | Int(text[groups * 4 + place])] }
                    seen |= bits
                    let spare: UInt32 = rest == 2 ? 0xFFFF : 0xFF
                    if bits & spare != 0 { seen |= Self.invalid }
                    output[groups * 3] = UInt8(truncatingIfNeeded: bits >> 16)
                    if rest == 3 { output[groups * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
                }
                failed = seen & Self.invalid != 0
            }
            written = count
        }
        return failed ? nil : bytes
    }

    func encode(_ bytes: [UInt8], padded: Bool) -> String {
        var text: [UInt8] = []
        append(bytes.span.bytes, to: &text)
        if padded {
            while !text.count.isMultiple(of: 4) { text.append(Self.pad) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text without padding.
    func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        text.append(addingCapacity: (bytes.byteCount * 4 + 2) / 3) { added in
            added.withUnsafeMutableBufferPointer { output, written in
                bytes.withUnsafeBytes { written += encode($0, to: UnsafeMutableRawBufferPointer(output)) }
            }
        }
    }

    /// - Parameter text: has room for four letters per three bytes, rounded up.
    private func encode(_ bytes: UnsafeRawBufferPointer, to text: UnsafeMutableRawBufferPointer) -> Int {
        let groups = bytes.count / 3
        pairs.withUnsafeBufferPointer { pairs in
            for group in 0..<groups {
                // In bounds: a whole group has three bytes and four letters, and twelve bits index 4,096 pairs.
                let bits =
                    Int(bytes[group &* 3]) << 16 | Int(bytes[group &* 3 &+ 1]) << 8 | Int(bytes[group &* 3 &+ 2])
                let word = UInt32(pairs[bits >> 12]) | UInt32(pairs[bits & 0xFFF]) << 16
                text.storeBytes(of: word.littleEndian, toByteOffset: group &* 4, as: UInt32.self)
            }
        }
        let rest = bytes[(groups * 3)...]
        guard !rest.isEmpty else { return groups * 4 }
        let bits = rest.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - rest.count))
        for place in 0...rest.count { text[groups * 4 + place] = letters[Int(bits >> UInt32(18 - 6 * place) & 63)] }
        return groups * 4 + rest.count + 1
    }
}
