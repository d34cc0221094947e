/// Bounds-checked reads. An offset outside the span traps: who reads a stored value has asked for its length.
extension RawSpan {
    func byte(at offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// A native 64-bit integer.
    func word(at offset: Int) -> UInt64 {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
