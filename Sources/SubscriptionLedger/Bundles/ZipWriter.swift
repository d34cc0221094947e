import Glibc
import LedgerStorage

/// Writes a ZIP file, which appears at its path when it is complete and synced.
final class ZipWriter {
    private let path: String
    private let partial: String
    private let descriptor: Int32
    private var entries: [(entry: ZipFormat.Entry, offset: Int)] = []
    private var size = 0
    private var isDone = false

    /// - Throws: `io_error`, `disk_full`.
    init(_ path: String) throws(StorageError) {
        self.path = path
        partial = path + ".partial"
        descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be created") }
    }

    deinit {
        close(descriptor)
        if !isDone { unlink(partial) }
    }

    /// Appends an entry. The names must ascend.
    /// - Throws: `bundle_too_large`; `io_error`, `disk_full`.
    func append(_ entry: ZipFormat.Entry, _ bytes: [UInt8]) throws {
        precondition(ZipFormat.isName(entry.name) && entries.last.map { $0.entry.name < entry.name } ?? true)
        guard entries.count < ZipFormat.entriesMax, bytes.count <= ZipFormat.entryBytesMax,
            size + bytes.count + 4 * ZipFormat.nameBytesMax < ZipFormat.bytesMax - entries.count * 256
        else {
            throw BundleError(
                .tooLarge, "the bundle is too large",
                expected: "at most \(ZipFormat.entriesMax) files and 4 GiB", found: "more")
        }
        entries.append((entry, size))
        try write(ZipFormat.localHeader(of: entry))
        try write(bytes)
    }

    /// Writes the directory and moves the file into place, durably.
    func finish() throws(StorageError) {
        let start = size
        for (entry, offset) in entries { try write(ZipFormat.centralHeader(of: entry, at: offset)) }
        try write(ZipFormat.end(entries: entries.count, directory: start..<size))
        guard fsync(descriptor) == 0 else { throw StorageError(system: "\(path) cannot be synced") }
        guard rename(partial, path) == 0 else { throw StorageError(system: "\(path) cannot be renamed into place") }
        isDone = true
        try AtomicFile.syncFolder(of: path)
    }

    private func write(_ bytes: [UInt8]) throws(StorageError) {
        try FileBytes.write(bytes, to: descriptor, path)
        size += bytes.count
    }
}
