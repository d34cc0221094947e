import Glibc

/// The exclusive right to write to a ledger's folder. One process holds it until it ends for any reason (flock(2)).
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Locks the ledger for its only writer.
    /// - Throws: `locked`, naming the process that holds the lock.
    package convenience init(_ folder: DataFolder) throws(StorageError) {
        try self.init(
            file: folder.lock, refusal: "another process has \(folder.path) open for writing",
            hint: "Stop the other process or set another --data.")
    }

    /// - Parameters:
    ///   - path: the file of the lock, which is created if it is missing.
    ///   - refusal: the message when another process holds the lock.
    /// - Throws: `locked`, naming the process that holds the lock.
    package init(file path: String, refusal: String, hint: String) throws(StorageError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the descriptor here as well.
            throw StorageError(
                .locked, refusal, expected: "no other writer", found: "process \(Self.owner(descriptor))", hint: hint)
        }
        let pid = Array("\(getpid())\n".utf8)
        // The pid only informs a process that is refused. The lock is effective without it.
        _ = ftruncate(descriptor, 0)
        _ = pid.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A process that is being spawned also has the descriptor until it calls exec. Closing only this one would
        // leave the lock to that process (flock(2)).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func owner(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 32)
        let count = text.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let digits = text.prefix(max(count, 0)).prefix { $0 >= 48 && $0 <= 57 }
        return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
    }
}
