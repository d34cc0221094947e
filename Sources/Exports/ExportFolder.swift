import Glibc
import LedgerStorage
import Primitives

import struct Crypto.SHA256

/// The local folder in which the tables of one export are written.
package struct ExportFolder: Sendable {
    let path: String

    /// - Parameter path: an existing folder.
    package init(path: String) {
        self.path = path
    }

    func table(_ name: String) throws -> Folder {
        let folder = Folder("\(path)/\(name)")
        try folder.create()
        return folder
    }

    /// Returns the size of a file; nil if there is none.
    func byteCount(of file: String) -> Int64? {
        var status = stat()
        return stat("\(path)/\(file)", &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Returns the SHA-256 of a file that has the size in its manifest.
    /// - Throws: `io_error`.
    func digest(of file: ExportManifest.File) throws(StorageError) -> Digest {
        var hash = SHA256()
        for chunk in chunks(of: file) {
            let bytes = try bytes(of: file.path, in: chunk)
            bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        return Digest(hash.finalize())
    }

    private static let chunk = 1 << 20

    /// The parts in which a file is read.
    func chunks(of file: ExportManifest.File) -> some Sequence<Range<Int>> {
        stride(from: 0, to: Int(file.bytes), by: Self.chunk).lazy.map { start in
            start..<min(start + Self.chunk, Int(file.bytes))
        }
    }

    /// Returns bytes of a file.
    /// - Throws: `io_error`, also for a file that ends before.
    func bytes(of file: String, in range: Range<Int>) throws(StorageError) -> [UInt8] {
        let path = "\(path)/\(file)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be opened") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: range.count)
        var end = 0
        while end < bytes.count {
            // `end` is below the number of bytes in the buffer, and no more are read than there are from it on.
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + end, $0.count - end, off_t(range.lowerBound + end))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "\(path) cannot be read") }
            end += count
        }
        return bytes
    }
}

/// A file of an export. It has its name only once it is complete and on the disk.
final class ExportFile {
    private let path: String
    private let descriptor: Int32
    private var hash = SHA256()
    private var isOpen = true
    private(set) var byteCount: Int64 = 0

    /// - Throws: `io_error`, `disk_full`.
    init(_ path: String) throws(StorageError) {
        self.path = path
        descriptor = open(path + ".partial", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path).partial cannot be created") }
    }

    deinit {
        if isOpen { close(descriptor) }
    }

    /// - Throws: `io_error`, `disk_full`.
    func write(_ bytes: [UInt8]) throws(StorageError) {
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        byteCount += Int64(bytes.count)
        var offset = 0
        while offset < bytes.count {
            // The buffer has `bytes.count` bytes.
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "\(path) cannot be written") }
            offset += count
        }
    }

    /// Makes the file durable under its name.
    /// - Returns: the SHA-256 of its bytes.
    /// - Throws: `io_error`, `disk_full`.
    func finish() throws(StorageError) -> Digest {
        guard fsync(descriptor) == 0 else { throw StorageError(system: "\(path) cannot be synced") }
        close(descriptor)
        isOpen = false
        guard rename(path + ".partial", path) == 0 else {
            throw StorageError(system: "\(path) cannot be renamed into place")
        }
        try AtomicFile.syncFolder(of: path)
        return Digest(hash.finalize())
    }
}
