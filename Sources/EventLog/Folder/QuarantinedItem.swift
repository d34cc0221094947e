import Glibc
package import Primitives

/// One artifact in quarantine, and what was noted when it was refused first.
package struct QuarantinedItem: Sendable {
    /// SHA-256 of the artifact, in hexadecimal: what it is called.
    package let digest: String
    /// Nil when the file has no note that can be read.
    package let note: JSONView?
    package let artifact: [UInt8]
    /// Where it came from, as far as the note tells.
    package var source: EventSource { note?["source"]?.string.flatMap(EventSource.init(name:)) ?? .file }
}

extension Quarantine {
    /// What its items are called, sorted.
    package static func digests(in folder: String) throws(EventLogError) -> [String] {
        try items(in: folder).map(\.name).sorted()
    }

    /// Nil when there is none, or no longer.
    package static func item(_ digest: String, in folder: String) throws(EventLogError) -> QuarantinedItem? {
        let path = "\(folder)/\(digest)"
        guard let byteCount = byteCount(of: path), let file = try SmallFile.read(path, limit: byteCount) else {
            return nil
        }
        let note = file.prefix { $0 != UInt8(ascii: "\n") }
        return QuarantinedItem(
            digest: digest, note: try? JSONDocument(parsing: Array(note)).root,
            artifact: Array(file.dropFirst(note.count + 1)))
    }

    /// Removes items, durably.
    /// - Returns: how many; those that were gone already are no failure.
    @discardableResult
    package static func drop(_ digests: [String], in folder: String) throws(EventLogError) -> Int {
        var dropped = 0
        for digest in digests {
            let path = "\(folder)/\(digest)"
            if unlink(path) == 0 {
                dropped += 1
            } else if errno != ENOENT {
                throw EventLogError(system: "\(path) cannot be removed")
            }
        }
        if dropped > 0 { try SmallFile.syncFolder(of: "\(folder)/item") }
        return dropped
    }
}
