/// Whether bytes come before others in lexicographic order, compared eight at a time.
func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = min(left.count, right.count)
    var offset = 0
    while offset + 8 <= count {
        let leftWord = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let rightWord = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if leftWord != rightWord { return leftWord.bigEndian < rightWord.bigEndian }
        offset += 8
    }
    while offset < count {
        if left[offset] != right[offset] { return left[offset] < right[offset] }
        offset += 1
    }
    return left.count < right.count
}
