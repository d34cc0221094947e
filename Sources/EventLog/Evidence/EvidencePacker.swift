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
/// 1  dictionary u8, nested count u8, outer part, nested parts,
///    deflated (outer payload without nested JWS, then theirs), CRC-32 of all before
///    part: header number u16, place in the stripped outer payload u32, payload length u32, signature 64 bytes
/// ```
///
/// The checksum covers the slack of deflated data: spare bits of the last byte, or a distance that finds the same text
/// elsewhere. Without it, a flipped bit could go undetected, although it would never change the unpacked bytes.
package final class EvidencePacker: Sendable {
    package static let rawVersion: UInt8 = 0
    package static let jwsVersion: UInt8 = 1
    static let signatureByteCount = 64
    private static let partByteCount = 2 + 4 + 4 + signatureByteCount

    package let headers: HeaderTable
    private let streams = StreamPool()

    package init(headers: HeaderTable) {
        self.headers = headers
    }

    /// - Complexity: one deflation and one inflation; about 25 µs for a notification.
    package func pack(_ evidence: Evidence) -> [UInt8] {
        if case .jws(let layout) = evidence.layout, let packed = pack(layout, of: evidence.bytes),
            let unpacked = unpack(packed, byteCount: evidence.bytes.count), equalBytes(unpacked, evidence.bytes)
        {
            return packed
        }
        return [Self.rawVersion] + evidence.bytes
    }

    private func pack(_ layout: Evidence.JWSLayout, of text: [UInt8]) -> [UInt8]? {
        guard layout.nested.count <= Int(UInt8.max) else { return nil }
        // The outer payload without the nested JWS comes first, then the nested payloads.
        var plain: [UInt8] = []
        plain.reserveCapacity(layout.payload.count)
        var places: [Int] = []
        var end = 0
        for nested in layout.nested {
            guard nested.range.lowerBound >= end, nested.range.upperBound <= layout.payload.count else { return nil }
            plain += layout.payload[end..<nested.range.lowerBound]
            end = nested.range.upperBound
            places.append(plain.count)
        }
        plain += layout.payload[end...]

        var packed = [Self.jwsVersion, PackingDictionary.current, UInt8(layout.nested.count)]
        packed.reserveCapacity(1_024)
        guard append(layout, text[..<layout.headerEnd], place: 0, plain.count, to: &packed) else { return nil }
        for (nested, place) in zip(layout.nested, places) {
            let header = layout.payload[nested.range].prefix(nested.layout.headerEnd)
            guard append(nested.layout, header, place: place, nested.layout.payload.count, to: &packed)
            else { return nil }
            plain += nested.layout.payload
        }
        guard let deflated = streams.use({ $0.deflated(plain) }) else { return nil }
        packed += deflated
        packed.appendLittleEndian(Checksum.crc32(of: packed.span.bytes))
        return packed
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
            return unpackJWS(packed, byteCount: byteCount)
        default:
            return nil
        }
    }

    private func unpackJWS(_ packed: [UInt8], byteCount: Int) -> [UInt8]? {
        let end = packed.count - Checksum.byteCount
        guard end >= 3, let dictionary = PackingDictionary.bytes(number: packed[1]) else { return nil }
        let partsEnd = 3 + (1 + Int(packed[2])) * Self.partByteCount
        let bytes = packed.span.bytes
        guard end >= partsEnd,
            Checksum.crc32(of: bytes.extracting(0..<end)) == bytes.littleEndian(at: end, as: UInt32.self)
        else { return nil }
        let parts = stride(from: 3, to: partsEnd, by: Self.partByteCount).map { Part(packed, at: $0) }
        // Base64 only adds bytes, so all payloads together are no longer than the evidence. The sum cannot overflow,
        // and the check bounds the memory.
        let plainCount = parts.reduce(0) { $0 + $1.payloadLength }
        guard plainCount <= byteCount else { return nil }
        let deflated = Array(packed[partsEnd..<end])
        let plain = streams.use { $0.inflated(deflated, byteCount: plainCount, dictionary: dictionary) }
        return plain.flatMap { compose(parts, from: $0, byteCount: byteCount) }
    }

    /// Puts the nested JWS back into the outer payload, then composes the outer JWS.
    private func compose(_ parts: [Part], from plain: [UInt8], byteCount: Int) -> [UInt8]? {
        let outer = parts[0]
        let bytes = plain.span.bytes
        var payload: [UInt8] = []
        payload.reserveCapacity(byteCount)
        var (end, start) = (0, outer.payloadLength)
        for part in parts.dropFirst() {
            guard part.place >= end, part.place <= outer.payloadLength else { return nil }
            payload += plain[end..<part.place]
            end = part.place
            let nested = bytes.extracting(start..<start + part.payloadLength)
            start += part.payloadLength
            guard append(part, nested, to: &payload), payload.count <= byteCount else { return nil }
        }
        payload += plain[end..<outer.payloadLength]
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        return append(outer, payload.span.bytes, to: &text) && text.count == byteCount ? text : nil
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
enum Checksum {
    static let byteCount = 4

    static func crc32(of bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            // zlib reads `count` bytes from the address and does not retain it.
            UInt32(
                truncatingIfNeeded: crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
        }
    }
}
