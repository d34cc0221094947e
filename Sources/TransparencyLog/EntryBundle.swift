/// The published entries of a level 0 tile (C2SP tlog-tiles). Each entry follows its length in two bytes, big-endian.
package enum EntryBundle {
    package static let entryBytesMax = Int(UInt16.max)

    /// - Throws: `entryBundleMalformed` for an entry longer than 65,535 bytes, the maximum of the length field.
    package static func append(_ entry: RawSpan, to bundle: inout [UInt8]) throws(TreeError) {
        guard let length = UInt16(exactly: entry.byteCount) else {
            throw TreeError(
                .entryBundleMalformed, "the entry is too large to publish",
                expected: "at most \(entryBytesMax) bytes", found: "\(entry.byteCount)")
        }
        bundle.append(UInt8(length >> 8))
        bundle.append(UInt8(length & 0xFF))
        entry.withUnsafeBytes { bundle.append(contentsOf: $0) }
    }

    /// Returns the entries of a bundle of `count` entries.
    ///
    /// - Throws: `entryBundleMalformed` if it ends inside an entry or contains more or fewer entries.
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
                .entryBundleMalformed, "wrong number of entries in the entry bundle",
                expected: "\(count)", found: rest.isEmpty ? "\(entries.count)" : "more")
        }
        return entries
    }

    private static func truncated(after count: Int) -> TreeError {
        TreeError(
            .entryBundleMalformed, "truncated entry bundle",
            expected: "a length of two bytes and an entry of that length", found: "fewer bytes after \(count) entries")
    }
}
