/// The entries of a level 0 tile as they are published (C2SP tlog-tiles): each after its length in two bytes,
/// big-endian.
package enum EntryBundle {
    package static let entryBytesMax = Int(UInt16.max)

    /// - Throws: `entryBundleMalformed` for an entry longer than 65,535 bytes, which the length cannot say.
    package static func append(_ entry: RawSpan, to bundle: inout [UInt8]) throws(TreeError) {
        guard let length = UInt16(exactly: entry.byteCount) else {
            throw TreeError(
                .entryBundleMalformed, "an entry is too long to be published",
                expected: "at most \(entryBytesMax) bytes", found: "\(entry.byteCount)")
        }
        bundle.append(UInt8(length >> 8))
        bundle.append(UInt8(length & 0xFF))
        entry.withUnsafeBytes { bundle.append(contentsOf: $0) }
    }

    /// The entries of a bundle of `count` entries.
    ///
    /// - Throws: `entryBundleMalformed` if it ends inside an entry or holds more or fewer entries.
    package static func entries(in bundle: [UInt8], count: Int) throws(TreeError) -> [ArraySlice<UInt8>] {
        var entries: [ArraySlice<UInt8>] = []
        var rest = bundle[...]
        while entries.count < count, let high = rest.popFirst() {
            guard let low = rest.popFirst() else { throw truncated(after: entries.count) }
            let length = Int(high) << 8 | Int(low)
            guard length <= rest.count else { throw truncated(after: entries.count) }
            entries.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        guard entries.count == count, rest.isEmpty else {
            throw TreeError(
                .entryBundleMalformed, "an entry bundle has another number of entries",
                expected: "\(count)", found: rest.isEmpty ? "\(entries.count)" : "more")
        }
        return entries
    }

    private static func truncated(after count: Int) -> TreeError {
        TreeError(
            .entryBundleMalformed, "an entry bundle ends inside an entry",
            expected: "two bytes of length and as many bytes as they say", found: "less after \(count) entries")
    }
}
