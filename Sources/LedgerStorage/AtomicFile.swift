import Glibc

/// Reads and writes small files atomically: after a crash, a file has either its old or its new content.
package enum AtomicFile {
    /// Writes a partial file beside the path, syncs it, renames it, and syncs the folder.
    /// - Throws: `io_error`, `disk_full`; a failure before the rename leaves the previous file unchanged.
    package static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let partial = Self.partial(path)
        do throws(StorageError) {
            try writeDurably(bytes, to: partial)
            guard rename(partial, path) == 0 else {
                throw StorageError(system: "\(path) cannot be renamed into place")
            }
        } catch {
            unlink(partial)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Returns the path of a file that is not complete yet.
    static func partial(_ path: String) -> String { path + ".partial" }

    private static func writeDurably(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be created") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "\(path) cannot be written") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw StorageError(system: "\(path) cannot be synced") }
    }

    package static func syncFolder(of path: String) throws(StorageError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(folder) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageError(system: "\(folder) cannot be synced") }
    }

    /// Returns the bytes of a file; nil when there is no such file.
    /// - Throws: `io_error`, also for a file of more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageError(system: "\(path) cannot be opened")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var end = 0
        while end <= limit {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: end), limit + 1 - end)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StorageError(system: "\(path) cannot be read") }
            if count == 0 { break }
            end += count
        }
        guard end <= limit else {
            throw StorageError(.ioError, "\(path) is too large", expected: "at most \(limit) bytes", found: "more")
        }
        return Array(bytes[..<end])
    }

    /// - Throws: `io_error` when others than the owner may access the file.
    package static func requirePrivate(_ path: String) throws(StorageError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw StorageError(system: "\(path) cannot be examined") }
        guard status.st_mode & 0o077 == 0 else {
            throw StorageError(
                .ioError, "\(path) is accessible to other users", expected: "mode 0600",
                found: "mode 0\(String(status.st_mode & 0o777, radix: 8))", hint: "Run `chmod 600 \(path)`.")
        }
    }
}
