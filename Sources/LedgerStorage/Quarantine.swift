import Glibc
package import Primitives
import Synchronization

/// Well-formed artifacts that were refused, kept for a retry after a fix. Each is one file, named by the digest of the
/// artifact's bytes, with a note of the first refusal as its first line.
///
/// The quarantine is bounded, since anyone may send artifacts. When it is full, existing items are kept and new items
/// are not. Another process may drop items at any time.
package final class Quarantine: Sendable {
    package struct Limits: Sendable {
        package var items = 10_000
        package var bytes = 256 * 1_024 * 1_024
        /// The time for which a count is reused, although items may have been dropped. Counting examines every item.
        package var countLifetime = Duration.seconds(1)

        package init() {}
    }

    package struct Contents: Hashable, Sendable {
        package var items: Int
        package var bytes: Int
    }

    private struct Count {
        var contents: Contents
        var counted = ContinuousClock.now

        init(_ folder: String) throws(StorageError) { contents = try measure(folder) }
    }

    private let folder: String
    private let limits: Limits
    private let count: Mutex<Count>

    package init(folder: DataFolder, limits: Limits = Limits()) throws(StorageError) {
        self.folder = folder.quarantine
        self.limits = limits
        count = Mutex(try Count(folder.quarantine))
    }

    /// Keeps an artifact, durably, once per digest.
    ///
    /// - Parameter note: the reason and time of the refusal, as a JSON object; the first line of the file.
    /// - Returns: whether it is in quarantine; false when there is no room.
    package func keep(_ artifact: [UInt8], note: JSONValue) throws(StorageError) -> Bool {
        let path = "\(folder)/\(Digest.sha256(of: artifact).hex)"
        let file = Array(note.serialized().utf8) + [UInt8(ascii: "\n")] + artifact
        // One caller at a time: the second caller with the same artifact finds the file.
        return try count.withLock { count throws(StorageError) in
            if access(path, F_OK) == 0 { return true }
            if !hasRoom(count.contents, for: file) { try recount(&count) }
            guard hasRoom(count.contents, for: file) else { return false }
            try AtomicFile.write(file, to: path)
            count.contents.items += 1
            count.contents.bytes += file.count
            return true
        }
    }

    /// - Throws: `io_error` when the folder cannot be read.
    package func size() throws(StorageError) -> Contents {
        try count.withLock { count throws(StorageError) in
            try recount(&count)
            return count.contents
        }
    }

    private func hasRoom(_ contents: Contents, for file: [UInt8]) -> Bool {
        contents.items < limits.items && contents.bytes + file.count <= limits.bytes
    }

    private func recount(_ count: inout Count) throws(StorageError) {
        guard ContinuousClock.now - count.counted >= limits.countLifetime else { return }
        count = try Count(folder)
    }

    /// Returns the contents counted from the files, for processes that do not write.
    package static func measure(_ folder: String) throws(StorageError) -> Contents {
        let items = try items(in: folder)
        return Contents(items: items.count, bytes: items.reduce(0) { $0 + $1.byteCount })
    }

    /// Copies the items of one folder to another. Skips items that are already there, since an item never changes.
    package static func copy(from source: String, to destination: String) throws(StorageError) {
        for item in try items(in: source) {
            let copy = "\(destination)/\(item.name)"
            guard access(copy, F_OK) != 0,
                let file = try AtomicFile.read("\(source)/\(item.name)", limit: item.byteCount)
            else { continue }
            try AtomicFile.write(file, to: copy)
        }
    }

    /// Returns the names and sizes of the items.
    static func items(in folder: String) throws(StorageError) -> [(name: String, byteCount: Int)] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw StorageError(system: "\(folder) cannot be read")
        }
        defer { closedir(directory) }
        var items: [(name: String, byteCount: Int)] = []
        while let entry = readdir(directory) {
            // d_name is a NUL-terminated C string inside the entry, valid until the next readdir.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.utf8.count == 64 else { continue }
            if let byteCount = byteCount(of: "\(folder)/\(name)") { items.append((name, byteCount)) }
        }
        return items
    }

    package static func byteCount(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
