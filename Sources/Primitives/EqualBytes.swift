/// Whether two pieces of memory hold the same bytes, eight at a time: `==` on arrays of bytes goes one by one, which
/// shows where 18 KB are compared for every notification. Not for secrets: it ends at the first difference.
package func equalBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    func differ(at offset: Int) -> Bool {
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    guard left.count >= 8 else { return left.elementsEqual(right) }
    // In bounds: a whole word begins at each offset, the last one where the last whole word can.
    for offset in stride(from: 0, to: left.count &- 8, by: 8) where differ(at: offset) { return false }
    return !differ(at: left.count &- 8)
}

package func equalBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { equalBytes(left, $0) } }
}
