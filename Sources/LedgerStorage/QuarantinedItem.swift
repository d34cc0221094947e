import Glibc
package import Primitives

/// An artifact in quarantine, and the note of its first refusal.
package struct QuarantinedItem: Sendable {
    /// The name of the item: the SHA-256 of the artifact, in hexadecimal.
    package let digest: String
    /// Nil when the file has no readable note.
    package let note: JSONView?
    package let artifact: [UInt8]

    /// The source in the note; `file` when it has none.
    package var source: EventSource { note?["source"]?.string.flatMap(EventSource.init(name:)) ?? .file }
}

extension Quarantine {
    /// Returns the names of the items, sorted.
    package static func digests(in folder: String) throws(StorageError) -> [String] {
        try items(in: folder).map(\.name).sorted()
    }

    /// Returns an item; nil when it does not exist or no longer exists.
    package static func item(_ digest: String, in folder: String) throws(StorageError) -> QuarantinedItem? {
        let path = "\(folder)/\(digest)"
        guard let byteCount = byteCount(of: path), let file = try AtomicFile.read(path, limit: byteCount) else {
            return nil
        }
        let note = file.prefix { $0 != UInt8(ascii: "\n") }
        return QuarantinedItem(
            digest: digest, note: try? JSONDocument(parsing: Array(note)).root,
            artifact: Array(file.dropFirst(note.count + 1)))
    }

    /// Removes items, durably.
    /// - Returns: the number of items removed; items that are already gone are not an error.
    @discardableResult
    package static func drop(_ digests: [String], in folder: String) throws(StorageError) -> Int {
        var dropped = 0
        for digest in digests {
            let path = "\(folder)/\(digest)"
            if unlink(path) == 0 {
                dropped += 1
            } else if errno != ENOENT {
                throw StorageError(system: "\(path) cannot be removed")
            }
        }
        if dropped > 0 { try AtomicFile.syncFolder(of: "\(folder)/item") }
        return dropped
    }
}
