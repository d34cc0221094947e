import Glibc
import LedgerStorage
import Primitives

import struct Crypto.SHA256

/// The folder of one export in a local folder.
struct ExportFolder {
    let path: String

    /// Creates the folder for a plan, or takes up the one that an interrupted run left.
    /// - Throws: `io_error`, `disk_full`.
    init(in parent: String, for plan: ExportPlan) throws {
        path = "\(parent)/\(plan.folderName)"
        try Folder(parent).create()
        try Folder(path).create()
        let file = "\(path)/\(ExportPlan.fileName)"
        let found = try AtomicFile.read(file, limit: 1 << 20)
        if found == nil { try AtomicFile.write(plan.bytes, to: file) }
        // The name has a part of the digest only.
        guard found ?? plan.bytes == plan.bytes else {
            throw StorageError(
                .ioError, "the folder \(path) belongs to another export", expected: "its plan", found: "another plan",
                hint: "Export to another folder.")
        }
    }

    var manifestPath: String { "\(path)/\(ExportManifest.fileName)" }

    func table(_ name: String) throws -> Folder {
        let folder = Folder("\(path)/\(name)")
        try folder.create()
        return folder
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
