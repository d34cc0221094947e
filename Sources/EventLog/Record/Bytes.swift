import Primitives

extension Array<UInt8> {
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ digest: Digest) {
        digest.withBytes { append(contentsOf: $0) }
    }

    mutating func append(_ identity: Identity) {
        Swift.withUnsafeBytes(of: identity.value.bigEndian) { append(contentsOf: $0) }
    }
}

/// Bounds-checked reads: an offset outside the span is a programmer's error and traps.
extension RawSpan {
    func byte(at offset: Int) -> UInt8 {
        littleEndian(at: offset, as: UInt8.self)
    }

    func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        // Integers are valid for every bit pattern, and unsafeLoadUnaligned checks the bounds.
        unsafe Value(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    func digest(at offset: Int) -> Digest {
        extracting(offset..<offset + Digest.byteCount).withUnsafeBytes { unsafe Digest(loadingFrom: $0) }
    }

    func array(in range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { unsafe Array($0) }
    }
}
