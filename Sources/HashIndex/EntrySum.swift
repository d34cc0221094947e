import Primitives

/// A digest of a set of entries, in any order: their number and the sum of their hashes. Two sets with the same sum are
/// the same set.
package struct EntrySum: Hashable, Sendable {
    package private(set) var count: UInt64 = 0
    private var hash: UInt128 = 0

    package init() {}

    package mutating func add(_ entry: IndexEntry) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(IndexEntry.byteCount)
        entry.append(to: &bytes)
        count += 1
        hash &+= Digest.sha256(of: bytes).firstHalf
    }

    package mutating func add(_ other: EntrySum) {
        count += other.count
        hash &+= other.hash
    }
}
