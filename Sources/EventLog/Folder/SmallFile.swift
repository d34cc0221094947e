import Glibc

/// Small files that are written whole, and are there whole or not at all after a crash.
package enum SmallFile {
    /// Writes beside the path, syncs, renames, and syncs the folder.
    /// - Throws: `io_error`, `disk_full`; what was there before is then untouched.
    package static func write(_ bytes: [UInt8], to path: String) throws(EventLogError) {
        let partial = Self.partial(path)
        do throws(EventLogError) {
            try writeDurably(bytes, to: partial)
            guard rename(partial, path) == 0 else {
                throw EventLogError(system: "\(path) cannot be renamed into place")
            }
        } catch {
            unlink(partial)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Where a file is until it is whole.
    static func partial(_ path: String) -> String { path + ".partial" }

    private static func writeDurably(_ bytes: [UInt8], to path: String) throws(EventLogError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw EventLogError(system: "\(path) cannot be made") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw EventLogError(system: "\(path) cannot be written") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw EventLogError(system: "\(path) cannot be synced") }
    }

    static func syncFolder(of path: String) throws(EventLogError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw EventLogError(system: "\(folder) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw EventLogError(system: "\(folder) cannot be synced") }
    }

    /// Nil when there is no such file.
    /// - Throws: `io_error`, also for a file of more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(EventLogError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw EventLogError(system: "\(path) cannot be opened")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var end = 0
        while end <= limit {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: end), limit + 1 - end)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw EventLogError(system: "\(path) cannot be read") }
            if count == 0 { break }
            end += count
        }
        guard end <= limit else {
            throw EventLogError(.ioError, "\(path) is too long", expected: "at most \(limit) bytes", found: "more")
        }
        return Array(bytes[..<end])
    }

    /// - Throws: `io_error` when others than the owner may read the file.
    static func requirePrivate(_ path: String) throws(EventLogError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw EventLogError(system: "\(path) cannot be examined") }
        guard status.st_mode & 0o077 == 0 else {
            throw EventLogError(
                .ioError, "\(path) can be read by others", expected: "mode 0600",
                found: "mode 0\(String(status.st_mode & 0o777, radix: 8))", hint: "Run `chmod 600 \(path)`.")
        }
    }
}
