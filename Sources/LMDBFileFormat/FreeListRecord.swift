import Primitives

/// A value of the free list: the number of pages, their numbers in descending order, and possibly unused space.
struct FreeListRecord: ~Escapable {
    private let bytes: RawSpan
    let count: Int

    private static let wordBytes = 8

    /// Nil when the bytes are not a valid record.
    @_lifetime(copy bytes)
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount >= Self.wordBytes, bytes.byteCount % Self.wordBytes == 0 else { return nil }
        let count: UInt64 = bytes.integer(at: 0)
        guard count < bytes.byteCount / Self.wordBytes else { return nil }
        self.bytes = bytes
        self.count = Int(count)
    }

    /// The length without the unused space at the end.
    var byteCount: Int { (1 + count) * Self.wordBytes }

    func page(_ index: Int) -> UInt64 { bytes.integer(at: (1 + index) * Self.wordBytes) }
}
