import CZlib
import Primitives
import Synchronization

/// Packs evidence for storage and restores it byte for byte. 18 KB take half a kilobyte.
///
/// Packing works by position, not by search. A JWS is stored as the number of its header, its payload and its 64-byte
/// signature, and so is each JWS nested in the payload. The payloads are deflated together. Evidence that cannot be
/// restored exactly is stored raw.
///
/// ```
/// 0  raw bytes
/// 1  a JWS: dictionary u8, nested count u8, outer part, nested parts,
///    deflated (outer payload without nested JWS, then theirs), CRC-32 of all before
///    part: header number u16, place in the stripped outer payload u32, payload length u32, signature 64 bytes
/// 2  JSON with JWS in it: dictionary u8, nested count u8, length of the JSON without them u32, nested parts,
///    deflated (JSON without nested JWS, then their payloads), CRC-32 of all before
/// ```
///
/// The checksum covers the slack of deflated data: spare bits of the last byte, or a distance that finds the same text
/// elsewhere. Without it, a flipped bit could go undetected, although it would never change the unpacked bytes.
package final class EvidencePacker: Sendable {
    package static let rawVersion: UInt8 = 0
    package static let jwsVersion: UInt8 = 1
    package static let jsonVersion: UInt8 = 2
    static let signatureByteCount = 64
    private static let partByteCount = 2 + 4 + 4 + signatureByteCount

    package let headers: HeaderTable
    private let streams = StreamPool()

    package init(headers: HeaderTable) {
        self.headers = headers
    }

    /// - Complexity: one deflation and one inflation; about 25 µs for a notification.
    package func pack(_ evidence: Evidence) -> [UInt8] {
        let packed: [UInt8]? =
            switch evidence.layout {
            case .opaque: nil
            case .jws(let layout): pack(layout, of: evidence.bytes)
            case .json(let nested): pack(nested, in: evidence.bytes)
            }
        guard let packed, let unpacked = unpack(packed, byteCount: evidence.bytes.count),
            equalBytes(unpacked, evidence.bytes)
        else { return [Self.rawVersion] + evidence.bytes }
        return packed
    }

    private func pack(_ layout: Evidence.JWSLayout, of text: [UInt8]) -> [UInt8]? {
        guard let stripped = Stripped(layout.payload, of: layout.nested) else { return nil }
        var packed = [Self.jwsVersion, PackingDictionary.current, UInt8(layout.nested.count)]
        packed.reserveCapacity(1_024)
        guard append(layout, text[..<layout.headerEnd], place: 0, stripped.text.count, to: &packed) else { return nil }
        return append(stripped, layout.nested, in: layout.payload, to: &packed) ? packed : nil
    }

    private func pack(_ nested: [Evidence.Nested], in text: [UInt8]) -> [UInt8]? {
        guard let stripped = Stripped(text, of: nested) else { return nil }
        var packed = [Self.jsonVersion, PackingDictionary.current, UInt8(nested.count)]
        packed.appendLittleEndian(UInt32(stripped.text.count))
        return append(stripped, nested, in: text, to: &packed) ? packed : nil
    }

    /// Appends the nested parts, the deflated texts and the checksum.
    private func append(
        _ stripped: Stripped, _ nested: [Evidence.Nested], in text: [UInt8], to packed: inout [UInt8]
    ) -> Bool {
        var plain = stripped.text
        for (nested, place) in zip(nested, stripped.places) {
            let header = text[nested.range].prefix(nested.layout.headerEnd)
            guard append(nested.layout, header, place: place, nested.layout.payload.count, to: &packed)
            else { return false }
            plain += nested.layout.payload
        }
        guard let deflated = streams.use({ $0.deflated(plain) }) else { return false }
        packed += deflated
        packed.appendLittleEndian(Checksum.crc32(of: packed.span.bytes))
        return true
    }

    /// A text without the JWS nested in it.
    private struct Stripped {
        var text: [UInt8] = []
        /// The place of each nested JWS in the stripped text.
        var places: [Int] = []

        /// - Parameter nested: ordered by place. Returns nil for more than 255, and for places out of order.
        init?(_ whole: [UInt8], of nested: [Evidence.Nested]) {
            guard nested.count <= Int(UInt8.max) else { return nil }
            text.reserveCapacity(whole.count)
            var end = 0
            for nested in nested {
                guard nested.range.lowerBound >= end, nested.range.upperBound <= whole.count else { return nil }
                text += whole[end..<nested.range.lowerBound]
                end = nested.range.upperBound
                places.append(text.count)
            }
            text += whole[end...]
        }
    }

    private func append(
        _ layout: Evidence.JWSLayout, _ header: ArraySlice<UInt8>, place: Int, _ payloadLength: Int,
        to bytes: inout [UInt8]
    ) -> Bool {
        guard layout.signature.count == Self.signatureByteCount, let number = headers.number(of: header) else {
            return false
        }
        bytes.appendLittleEndian(number)
        bytes.appendLittleEndian(UInt32(place))
        bytes.appendLittleEndian(UInt32(payloadLength))
        bytes += layout.signature
        return true
    }

    /// Returns the verbatim bytes.
    /// - Parameter byteCount: the length stated in the record; bounds the memory used.
    /// - Returns: nil when the packed bytes are damaged.
    package func unpack(_ packed: [UInt8], byteCount: Int) -> [UInt8]? {
        switch packed.first {
        case Self.rawVersion:
            return packed.count == byteCount + 1 ? Array(packed.dropFirst()) : nil
        case Self.jwsVersion:
            guard let (parts, plain) = inflate(packed, headByteCount: 3, outerParts: 1, byteCount: byteCount) else {
                return nil
            }
            return compose(parts, from: plain, byteCount: byteCount)
        case Self.jsonVersion:
            guard packed.count >= 7 else { return nil }
            let length = Int(packed.span.bytes.littleEndian(at: 3, as: UInt32.self))
            guard length <= byteCount,
                let (parts, plain) = inflate(
                    packed, headByteCount: 7, outerParts: 0, textLength: length, byteCount: byteCount)
            else { return nil }
            let text = compose(parts[...], intoFirst: length, of: plain, byteCount: byteCount)
            return text?.count == byteCount ? text : nil
        default:
            return nil
        }
    }

    /// Reads the parts, and inflates the text and the payloads.
    /// - Parameters:
    ///   - headByteCount: the bytes before the parts.
    ///   - outerParts: the parts before the nested ones.
    ///   - textLength: the bytes to inflate that belong to no part.
    private func inflate(
        _ packed: [UInt8], headByteCount: Int, outerParts: Int, textLength: Int = 0, byteCount: Int
    ) -> (parts: [Part], plain: [UInt8])? {
        let end = packed.count - Checksum.byteCount
        guard end >= headByteCount, let dictionary = PackingDictionary.bytes(number: packed[1]) else { return nil }
        let partsEnd = headByteCount + (outerParts + Int(packed[2])) * Self.partByteCount
        let bytes = packed.span.bytes
        guard end >= partsEnd,
            Checksum.crc32(of: bytes.extracting(0..<end)) == bytes.littleEndian(at: end, as: UInt32.self)
        else { return nil }
        let parts = stride(from: headByteCount, to: partsEnd, by: Self.partByteCount).map { Part(packed, at: $0) }
        // Base64 only adds bytes, so all payloads together are no longer than the evidence. The sum cannot overflow,
        // and the check bounds the memory.
        let plainCount = parts.reduce(textLength) { $0 + $1.payloadLength }
        guard plainCount <= byteCount else { return nil }
        let deflated = Array(packed[partsEnd..<end])
        return streams.use { $0.inflated(deflated, byteCount: plainCount, dictionary: dictionary) }.map { (parts, $0) }
    }

    /// Puts the nested JWS back into the outer payload, then composes the outer JWS.
    private func compose(_ parts: [Part], from plain: [UInt8], byteCount: Int) -> [UInt8]? {
        guard
            let payload = compose(
                parts.dropFirst(), intoFirst: parts[0].payloadLength, of: plain, byteCount: byteCount)
        else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        return append(parts[0], payload.span.bytes, to: &text) && text.count == byteCount ? text : nil
    }

    /// Puts the nested JWS back into the text at the start of `plain`, which their payloads follow.
    private func compose(
        _ nested: ArraySlice<Part>, intoFirst length: Int, of plain: [UInt8], byteCount: Int
    ) -> [UInt8]? {
        let bytes = plain.span.bytes
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        var (end, start) = (0, length)
        for part in nested {
            guard part.place >= end, part.place <= length else { return nil }
            text += plain[end..<part.place]
            end = part.place
            let payload = bytes.extracting(start..<start + part.payloadLength)
            start += part.payloadLength
            guard append(part, payload, to: &text), text.count <= byteCount else { return nil }
        }
        return text + plain[end..<length]
    }

    private func append(_ part: Part, _ payload: RawSpan, to text: inout [UInt8]) -> Bool {
        guard let header = headers.text(number: part.header) else { return false }
        text += header
        text.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(part.signature.span.bytes, to: &text)
        return true
    }

    private struct Part {
        let header: UInt16
        let place: Int
        let payloadLength: Int
        let signature: [UInt8]

        /// - Precondition: `partByteCount` bytes follow `offset`.
        init(_ packed: [UInt8], at offset: Int) {
            let bytes = packed.span.bytes
            header = bytes.littleEndian(at: offset, as: UInt16.self)
            place = Int(bytes.littleEndian(at: offset + 2, as: UInt32.self))
            payloadLength = Int(bytes.littleEndian(at: offset + 6, as: UInt32.self))
            signature = bytes.array(in: offset + 10..<offset + partByteCount)
        }
    }
}

/// A pool of zlib streams, since creating one takes time.
private final class StreamPool: Sendable {
    /// A stream with one user at a time: it is out of the pool while in use.
    private struct Lent: @unchecked Sendable {
        let stream: Deflate
    }

    private let idle = Mutex<[Lent]>([])

    private static func stream() -> Deflate {
        Deflate(dictionary: PackingDictionary.bytes(number: PackingDictionary.current) ?? [])
    }

    func use<Result>(_ body: (Deflate) -> Result) -> Result {
        let lent = idle.withLock { $0.popLast() } ?? Lent(stream: Self.stream())
        defer { idle.withLock { $0.append(lent) } }
        return body(lent.stream)
    }
}

/// CRC-32 as computed by zlib (ISO 3309). It detects every flipped bit and every burst of up to 32 bits.
package enum Checksum {
    static let byteCount = 4

    package static func crc32(of bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            // zlib reads `count` bytes from the address and does not retain it.
            UInt32(
                truncatingIfNeeded: crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
        }
    }
}
