import Glibc

/// A folder of files that can be computed again.
package struct Folder: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Creates an empty folder for temporary files, in `TMPDIR` or `/tmp`. Whoever creates it removes it.
    /// - Throws: `io_error`, `disk_full`.
    package static func temporary() throws(StorageError) -> Folder {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // `mkdtemp` replaces the last six characters.
        var template = Array("\(parent)/subledger-XXXXXX".utf8CString)
        let isCreated = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard isCreated else { throw StorageError(system: "a temporary folder cannot be created in \(parent)") }
        return Folder(path)
    }

    package var exists: Bool { access(path, F_OK) == 0 }

    /// Creates the folder durably, unless it exists.
    /// - Throws: `io_error`, `disk_full`.
    package func create() throws(StorageError) {
        if exists { return }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw StorageError(system: "the folder \(path) cannot be created")
        }
        try AtomicFile.syncFolder(of: path)
    }

    /// Returns the names in the folder, sorted; none when there is no such folder.
    /// - Throws: `io_error`.
    package func names() throws(StorageError) -> [String] {
        guard let directory = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw StorageError(system: "\(path) cannot be read")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // The name is a C string within the entry.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes the files, except those with the given names. Files that cannot be removed stay.
    /// - Throws: `io_error`.
    package func removeFiles(except kept: Set<String> = []) throws(StorageError) {
        for name in try names() where !kept.contains(name) { unlink("\(path)/\(name)") }
    }

    /// Removes a file durably. A missing one is no error.
    /// - Throws: `io_error`.
    package func removeFile(_ name: String) throws(StorageError) {
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw StorageError(system: "\(path)/\(name) cannot be removed")
        }
        try AtomicFile.syncFolder(of: "\(path)/\(name)")
    }

    /// Removes the folder with everything in it.
    /// - Throws: `io_error`.
    package func remove() throws(StorageError) {
        for name in try names() where unlink("\(path)/\(name)") != 0 && (errno == EISDIR || errno == EPERM) {
            try Folder("\(path)/\(name)").remove()
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw StorageError(system: "\(path) cannot be removed") }
        try AtomicFile.syncFolder(of: path)
    }

    /// Exchanges the folder with another one in one step, durably: after a crash, either both are exchanged or neither is.
    /// - Throws: `io_error`, also where the file system cannot exchange folders.
    package func exchange(with other: Folder) throws(StorageError) {
        // The function is in glibc since version 2.28 and has this type (renameat2(2)).
        typealias Rename =
            @convention(c) (Int32, UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, UInt32) -> Int32
        guard let symbol = dlsym(nil, "renameat2") else {
            throw StorageError(.ioError, "folders cannot be exchanged", expected: "renameat2", found: "an older glibc")
        }
        let rename = unsafeBitCast(symbol, to: Rename.self)
        guard rename(AT_FDCWD, path, AT_FDCWD, other.path, Self.exchangeFlag) == 0 else {
            throw StorageError(system: "\(path) cannot be exchanged with \(other.path)")
        }
        try AtomicFile.syncFolder(of: path)
        try AtomicFile.syncFolder(of: other.path)
    }

    /// `RENAME_EXCHANGE` of linux/fs.h, which the Glibc module does not have.
    private static let exchangeFlag: UInt32 = 2

    /// The place to which `replace` moves a folder before it is removed.
    package var replaced: Folder { Folder(path + ".old") }

    /// Moves the folder to the place of another one, which is removed. A crash meanwhile can leave that place empty.
    /// - Throws: `io_error`, `disk_full`.
    package func replace(_ other: Folder) throws(StorageError) {
        let old = other.replaced
        if old.exists { try old.remove() }
        guard rename(other.path, old.path) == 0 || errno == ENOENT else {
            throw StorageError(system: "\(other.path) cannot be moved")
        }
        guard rename(path, other.path) == 0 else { throw StorageError(system: "\(path) cannot be moved") }
        try AtomicFile.syncFolder(of: other.path)
        // The new folder is in place, whether the old one can be removed or not.
        try? old.remove()
    }
}
