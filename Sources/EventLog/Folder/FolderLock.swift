import Glibc

/// The right to write to a ledger's folder, held by one process until it ends, however it ends (flock(2)).
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `locked`, naming the process that has it.
    package init(_ folder: DataFolder) throws(EventLogError) {
        descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw EventLogError(system: "\(folder.lock) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // Here, as everywhere, `deinit` closes the descriptor.
            throw EventLogError(
                .locked, "another process writes to \(folder.path)", expected: "no other writer",
                found: "process \(Self.owner(descriptor))", hint: "Stop it, or give another --data.")
        }
        let pid = Array("\(getpid())\n".utf8)
        // Telling the pid is a courtesy to whoever is refused; the lock holds without it.
        _ = ftruncate(descriptor, 0)
        _ = pid.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A process that is being spawned has the descriptor too until it execs, and closing ours alone would leave it
        // the lock (flock(2)).
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
