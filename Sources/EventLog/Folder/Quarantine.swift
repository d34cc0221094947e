import Glibc
package import Primitives
import Synchronization

/// What was refused although well-formed, kept to be tried again after a fix: one file an artifact, named by the
/// digest of its bytes, with the reason of the first refusal in front.
///
/// Bounded, since anybody may send it: when it is full, what is there stays and new items are not kept. Items may be
/// dropped by another process meanwhile.
package final class Quarantine: Sendable {
    package struct Limits: Sendable {
        package var items = 10_000
        package var bytes = 256 * 1_024 * 1_024
        /// For how long a count is trusted not to have fallen: counting looks at every item.
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

        init(_ folder: String) throws(EventLogError) { contents = try measure(folder) }
    }

    private let folder: String
    private let limits: Limits
    private let count: Mutex<Count>

    package init(folder: DataFolder, limits: Limits = Limits()) throws(EventLogError) {
        self.folder = folder.quarantine
        self.limits = limits
        count = Mutex(try Count(folder.quarantine))
    }

    /// Keeps an artifact, durably, once per digest.
    ///
    /// - Parameter note: why and when it was refused, a JSON object; the first line of the file.
    /// - Returns: whether it is in quarantine; false when there is no room.
    package func keep(_ artifact: [UInt8], note: JSONValue) throws(EventLogError) -> Bool {
        let path = "\(folder)/\(Digest.sha256(of: artifact).hex)"
        let file = Array(note.serialized().utf8) + [UInt8(ascii: "\n")] + artifact
        // One at a time: of two callers with one artifact the second finds it there.
        return try count.withLock { count throws(EventLogError) in
            if access(path, F_OK) == 0 { return true }
            if !hasRoom(count.contents, for: file) { try recount(&count) }
            guard hasRoom(count.contents, for: file) else { return false }
            try SmallFile.write(file, to: path)
            count.contents.items += 1
            count.contents.bytes += file.count
            return true
        }
    }

    /// - Throws: `io_error` when the folder cannot be read.
    package func size() throws(EventLogError) -> Contents {
        try count.withLock { count throws(EventLogError) in
            try recount(&count)
            return count.contents
        }
    }

    private func hasRoom(_ contents: Contents, for file: [UInt8]) -> Bool {
        contents.items < limits.items && contents.bytes + file.count <= limits.bytes
    }

    private func recount(_ count: inout Count) throws(EventLogError) {
        guard ContinuousClock.now - count.counted >= limits.countLifetime else { return }
        count = try Count(folder)
    }

    /// Counted from the files, for who does not write.
    package static func measure(_ folder: String) throws(EventLogError) -> Contents {
        let items = try items(in: folder)
        return Contents(items: items.count, bytes: items.reduce(0) { $0 + $1.byteCount })
    }

    /// Copies the items of one folder to another, which may have some of them: an item never changes.
    package static func copy(from source: String, to destination: String) throws(EventLogError) {
        for item in try items(in: source) {
            let copy = "\(destination)/\(item.name)"
            guard access(copy, F_OK) != 0,
                let file = try SmallFile.read("\(source)/\(item.name)", limit: item.byteCount)
            else { continue }
            try SmallFile.write(file, to: copy)
        }
    }

    /// The names and sizes of the files.
    static func items(in folder: String) throws(EventLogError) -> [(name: String, byteCount: Int)] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw EventLogError(system: "\(folder) cannot be read")
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

    static func byteCount(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
