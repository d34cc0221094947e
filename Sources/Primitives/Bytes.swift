extension Array<UInt8> {
    @inlinable
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    package mutating func append(_ digest: Digest) {
        digest.withBytes { append(contentsOf: $0) }
    }
}

/// Bounds-checked reads. An offset outside the span is a programmer error and traps.
extension RawSpan {
    @inlinable
    package func byte(at offset: Int) -> UInt8 {
        integer(at: offset)
    }

    /// Reads an integer in native byte order.
    @inlinable
    package func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
        // Every bit pattern is an integer, alignment is irrelevant, and unsafeLoadUnaligned checks the bounds.
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    @inlinable
    package func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type
    ) -> Value {
        Value(littleEndian: integer(at: offset))
    }

    @inlinable
    package func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        Value(bigEndian: integer(at: offset))
    }

    package func digest(at offset: Int) -> Digest {
        extracting(offset..<offset + Digest.byteCount).withUnsafeBytes { unsafe Digest(loadingFrom: $0) }
    }

    package func array(in range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { unsafe Array($0) }
    }
}

extension FixedWidthInteger {
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
