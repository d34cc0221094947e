import Primitives

/// The unit of every stream between a ledger, its workers and an engine: facts, sums and rows.
///
/// `length u32 ‖ digest i64 ‖ kind u8 ‖ body`, little-endian. `length` counts what follows it. `digest` is that of
/// exported rows, the first 8 bytes of the SHA-256 of kind and body, so a damaged frame is never folded.
package struct Frame: Sendable {
    package enum Kind: UInt8, Sendable {
        /// The first frame of a segment.
        case header = 0x48  // H
        /// An observation of a subscription.
        case observation = 0x46  // F
        /// An event about customers.
        case customerEvent = 0x43  // C
        /// Numbers that add up by key.
        case sum = 0x53  // S
        /// A row of a table, as its file has it.
        case row = 0x52  // R
        /// A table with the number and the digests of its rows.
        case tally = 0x54  // T
        /// The last frame of every stream: the number and the digests of those before.
        case end = 0x45  // E
    }

    package let kind: Kind
    package let body: ArraySlice<UInt8>
    package let digest: Int64

    /// The greatest length. Facts have some hundred bytes; a row may have a long list.
    package static let lengthLimit = 16 << 20

    static let lengthByteCount = 4
    static let digestByteCount = 8
    static let kindOffset = lengthByteCount + digestByteCount
    static let bodyOffset = kindOffset + 1
}

/// Appends frames to bytes, and counts them.
package struct FrameWriter: Sendable {
    /// The frames since they were last taken.
    package private(set) var bytes: [UInt8] = []
    /// The frames so far.
    package private(set) var tally = FrameTally()

    package init() {}

    /// Appends a frame.
    /// - Parameter body: appends the body.
    package mutating func append(_ kind: Frame.Kind, _ body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: Frame.kindOffset))
        bytes.append(kind.rawValue)
        body(&bytes)
        let length = bytes.count - start - Frame.lengthByteCount
        precondition(length <= Frame.lengthLimit, "a frame is too long")
        let digest = Frame.digest(of: bytes[(start + Frame.kindOffset)...])
        bytes.replaceLittleEndian(at: start, with: UInt32(length))
        bytes.replaceLittleEndian(at: start + Frame.lengthByteCount, with: digest)
        tally.add(digest)
    }

    /// Appends frames that another writer made.
    package mutating func append(frames: ArraySlice<UInt8>) {
        var start = frames.startIndex
        while start < frames.endIndex {
            let header = frames[start..<start + Frame.kindOffset].span.bytes
            tally.add(header.littleEndian(at: Frame.lengthByteCount, as: Int64.self))
            start += Frame.lengthByteCount + Int(header.littleEndian(at: 0, as: UInt32.self))
        }
        bytes.append(contentsOf: frames)
    }

    /// Appends the last frame.
    package mutating func finish() {
        let tally = tally
        append(.end) { bytes in
            bytes.appendLittleEndian(tally.count)
            bytes.appendLittleEndian(tally.digestSum)
        }
    }

    /// Returns the bytes, and leaves none.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

/// The number of frames, and the sum of their digests, which does not depend on their order.
package struct FrameTally: Hashable, Sendable {
    package private(set) var count: Int64 = 0
    package private(set) var digestSum: Int128 = 0

    package init() {}

    package mutating func add(_ digest: Int64) {
        count += 1
        digestSum += Int128(digest)
    }
}

/// Reads frames from bytes that come in pieces of any size.
package struct FrameReader: Sendable {
    private var bytes: [UInt8] = []
    private var next = 0
    private var tally = FrameTally()
    /// Whether the last frame was read.
    package private(set) var isAtEnd = false

    package init() {}

    package mutating func append(_ piece: some Sequence<UInt8>) {
        bytes.removeFirst(next)
        next = 0
        bytes.append(contentsOf: piece)
    }

    /// Returns the next frame before the last one; nil if it needs more bytes, and at the end.
    /// - Throws: `SegmentError`: `segment_corrupt` for anything that no writer writes.
    package mutating func read() throws(SegmentError) -> Frame? {
        let available = bytes.count - next
        guard !isAtEnd else {
            guard available == 0 else { throw .corrupt("bytes follow the end of the stream", found: "more bytes") }
            return nil
        }
        guard available >= Frame.lengthByteCount else { return nil }
        let length = Int(bytes.span.bytes.littleEndian(at: next, as: UInt32.self))
        guard length > Frame.digestByteCount, length <= Frame.lengthLimit else {
            throw .corrupt(
                "a frame has an impossible length", expected: "\(Frame.digestByteCount + 1) to \(Frame.lengthLimit)",
                found: "\(length)")
        }
        guard available >= Frame.lengthByteCount + length else { return nil }
        let frame = try frame(at: next, length)
        next += Frame.lengthByteCount + length
        guard frame.kind == .end else {
            tally.add(frame.digest)
            return frame
        }
        try require(frame)
        isAtEnd = true
        return try read()
    }

    /// Requires that the stream ended with its last frame.
    /// - Throws: `SegmentError`: `segment_truncated`.
    package func finish() throws(SegmentError) {
        guard isAtEnd else {
            throw SegmentError(
                .truncated, "the stream ends too early", expected: "a last frame", found: "\(tally.count) frames")
        }
    }

    private func frame(at start: Int, _ length: Int) throws(SegmentError) -> Frame {
        let end = start + Frame.lengthByteCount + length
        let digest = bytes.span.bytes.littleEndian(at: start + Frame.lengthByteCount, as: Int64.self)
        guard Frame.digest(of: bytes[(start + Frame.kindOffset)..<end]) == digest else {
            throw .corrupt("a frame is damaged", expected: "the digest \(digest)", found: "another")
        }
        guard let kind = Frame.Kind(rawValue: bytes[start + Frame.kindOffset]) else {
            throw .corrupt(
                "a frame is of an unknown kind", expected: "a known one", found: "\(bytes[start + Frame.kindOffset])")
        }
        return Frame(kind: kind, body: bytes[(start + Frame.bodyOffset)..<end], digest: digest)
    }

    /// Requires that the last frame counts those before.
    private func require(_ end: Frame) throws(SegmentError) {
        var reader = BodyReader(end.body)
        let (count, sum) = (try reader.integer(as: Int64.self), try reader.integer(as: Int128.self))
        try reader.finish()
        guard count == tally.count, sum == tally.digestSum else {
            throw .corrupt("frames are missing or repeated", expected: "\(count)", found: "\(tally.count), or others")
        }
    }
}

extension Frame {
    fileprivate static func digest(of bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.withUnsafeBytes { Int64(bitPattern: Digest.sha256(of: $0).words.0.byteSwapped) }
    }
}

extension [UInt8] {
    fileprivate mutating func replaceLittleEndian(at offset: Int, with value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { part in
            for (index, byte) in part.enumerated() { self[offset + index] = byte }
        }
    }
}

extension SegmentError {
    static func corrupt(_ message: String, expected: String = "a frame", found: String) -> SegmentError {
        SegmentError(.corrupt, message, expected: expected, found: found)
    }
}
