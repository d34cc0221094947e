extension RawSpan {
    /// The integer in native byte order at `offset`, which must lie within the span with all of its bytes.
    @inline(__always)
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
        // Every bit pattern is an integer, alignment does not matter, and RawSpan traps outside its bounds.
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
    }
}
