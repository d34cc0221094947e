/// Whether two buffers contain the same bytes, compared eight at a time: `==` on byte arrays compares single bytes,
/// which is measurable for the 18 KB compared per notification. Not for secrets: it stops at the first difference.
package func equalBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    func differ(at offset: Int) -> Bool {
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    guard left.count >= 8 else { return left.elementsEqual(right) }
    // In bounds: every offset is at most `count - 8`, where the last whole word begins.
    for offset in stride(from: 0, to: left.count &- 8, by: 8) where differ(at: offset) { return false }
    return !differ(at: left.count &- 8)
}

package func equalBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { equalBytes(left, $0) } }
}

package func equalBytes(_ left: RawSpan, _ right: RawSpan) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { equalBytes(left, $0) } }
}
