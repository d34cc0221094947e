import Primitives

/// Reads the parts of a frame's body in order.
struct BodyReader {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    private var missing: SegmentError { .corrupt("a frame is too short", expected: "more bytes", found: "its end") }

    /// - Throws: `SegmentError`: `segment_corrupt`, as all others.
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        as type: Value.Type
    ) throws(SegmentError) -> Value {
        let size = MemoryLayout<Value>.size
        let part = try slice(size)
        return part.span.bytes.littleEndian(at: 0, as: Value.self)
    }

    mutating func slice(_ count: Int) throws(SegmentError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - offset else { throw missing }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Reads bytes after their number.
    mutating func counted() throws(SegmentError) -> ArraySlice<UInt8> {
        try slice(Int(try integer(as: UInt32.self)))
    }

    mutating func text() throws(SegmentError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else {
            throw .corrupt("a text is not UTF-8", expected: "UTF-8", found: "other bytes")
        }
        return text
    }

    /// Returns all bytes that are left.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { offset = bytes.endIndex }
        return bytes[offset...]
    }

    var isAtEnd: Bool { offset == bytes.endIndex }

    func finish() throws(SegmentError) {
        guard isAtEnd else { throw .corrupt("a frame is too long", expected: "its end", found: "more bytes") }
    }
}

extension [UInt8] {
    /// Appends bytes after their number.
    mutating func append(counted part: some Collection<UInt8>) {
        appendLittleEndian(UInt32(part.count))
        append(contentsOf: part)
    }
}
