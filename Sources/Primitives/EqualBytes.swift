/// Whether two pieces of memory hold the same bytes, eight at a time: `==` on arrays of bytes goes one by one, which
/// shows where 18 KB are compared for every notification. Not for secrets: it ends at the first difference.
package func equalBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    let words = left.count / 8
    for word in 0..<words {
        // In bounds: a whole word begins at word × 8.
        guard
            left.loadUnaligned(fromByteOffset: word &* 8, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: word &* 8, as: UInt64.self)
        else { return false }
    }
    for index in words * 8..<left.count where left[index] != right[index] { return false }
    return true
}

package func equalBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { equalBytes(left, $0) } }
}
