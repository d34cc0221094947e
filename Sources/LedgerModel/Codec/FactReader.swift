import AppStoreModel
import Primitives

/// Reads the parts of an encoded fact in order. Refuses any form that `FactWriter` does not produce.
struct FactReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Throws: `malformed` when bytes remain: a tag that is unknown, repeated or out of order.
    func finish() throws(FactCodecError) {
        guard index == bytes.count else {
            throw FactCodecError(.malformed, expected: "the end", found: "tag \(bytes[index]) at byte \(index)")
        }
    }

    mutating func byte() throws(FactCodecError) -> UInt8 {
        guard index < bytes.count else {
            throw FactCodecError(.truncated, expected: "a byte", found: "the end at byte \(index)")
        }
        index += 1
        return bytes[index - 1]
    }

    mutating func digest() throws(FactCodecError) -> Digest {
        let range = try take(Digest.byteCount)
        return bytes.withUnsafeBytes { Digest(loadingFrom: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func string() throws(FactCodecError) -> String {
        let count = try unsigned()
        // `take` refuses a count above the number of remaining bytes. Clamping keeps the conversion from trapping.
        let range = try take(Int(clamping: count))
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            throw FactCodecError(.malformed, expected: "UTF-8", found: "other bytes from \(range.lowerBound) on")
        }
        return text
    }

    mutating func integer() throws(FactCodecError) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func unsigned() throws(FactCodecError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let next = try byte()
            let bits = UInt64(next & 0x7F)
            let isLast = next & 0x80 == 0
            // Ten bytes hold 70 bits, so only the lowest bit of the tenth counts. A last byte of 0 would be a second
            // form of a shorter number.
            guard shift < 63 || next <= 1, !(isLast && next == 0 && shift > 0) else { break }
            value |= bits << shift
            if isLast { return value }
        }
        throw FactCodecError(
            .malformed, expected: "a minimal number of 64 bits", found: "another form before byte \(index)")
    }

    private mutating func take(_ count: Int) throws(FactCodecError) -> Range<Int> {
        guard count <= bytes.count - index else {
            throw FactCodecError(
                .truncated, expected: "\(count) bytes", found: "\(bytes.count - index) at byte \(index)")
        }
        defer { index += count }
        return index..<index + count
    }

    /// Whether the next field has this tag. If so, consumes the tag.
    private mutating func take(tag: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == tag else { return false }
        index += 1
        return true
    }
}

extension FactReader {
    mutating func flag(_ tag: UInt8) -> Bool {
        take(tag: tag)
    }

    mutating func string(_ tag: UInt8) throws(FactCodecError) -> String? {
        take(tag: tag) ? try string() : nil
    }

    mutating func integer(_ tag: UInt8) throws(FactCodecError) -> Int64? {
        take(tag: tag) ? try integer() : nil
    }

    mutating func instant(_ tag: UInt8) throws(FactCodecError) -> Instant? {
        try integer(tag).map(Instant.init(milliseconds:))
    }

    mutating func digest(_ tag: UInt8) throws(FactCodecError) -> Digest? {
        take(tag: tag) ? try digest() : nil
    }

    mutating func bool(_ tag: UInt8) throws(FactCodecError) -> Bool? {
        guard take(tag: tag) else { return nil }
        let value = try byte()
        guard value <= 1 else { throw FactCodecError(.malformed, expected: "0 or 1", found: "\(value)") }
        return value == 1
    }

    /// Returns an empty list for an absent field. An encoded empty list is refused.
    mutating func strings(_ tag: UInt8) throws(FactCodecError) -> [String] {
        guard take(tag: tag) else { return [] }
        let count = try unsigned()
        guard count > 0 else { throw FactCodecError(.malformed, expected: "at least one element", found: "none") }
        var values: [String] = []
        // Every element takes at least one byte, so the loop ends with the input at the latest.
        for _ in 0..<count { values.append(try string()) }
        return values
    }

    mutating func symbol(_ tag: UInt8) throws(FactCodecError) -> Symbol? {
        try string(tag).map(Symbol.init)
    }

    mutating func appleID(_ tag: UInt8) throws(FactCodecError) -> AppleID? {
        try string(tag).map { AppleID($0) }
    }

    mutating func appAccountToken(_ tag: UInt8) throws(FactCodecError) -> AppAccountToken? {
        guard let text = try string(tag) else { return nil }
        guard let token = AppAccountToken(text), token.text == text else {
            throw FactCodecError(.malformed, expected: "a UUID in lower case", found: "another text")
        }
        return token
    }

    mutating func vocabulary<Value: OpenVocabulary>(_ tag: UInt8) throws(FactCodecError) -> Value? {
        try string(tag).map(Value.init(rawValue:))
    }

    mutating func vocabulary<Value: OpenNumericVocabulary>(_ tag: UInt8) throws(FactCodecError) -> Value? {
        try integer(tag).map(Value.init(rawValue:))
    }
}
