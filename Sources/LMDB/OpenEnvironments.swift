import Glibc
import Synchronization

/// The environments this process has open, so that none is opened twice.
enum OpenEnvironments {
    /// A directory, however it is spelled.
    fileprivate struct Identity: Hashable {
        let device: UInt
        let inode: UInt
    }

    /// Holds an environment's place as long as it lives.
    final class Registration: Sendable {
        private let identity: Identity

        fileprivate init(_ identity: Identity) { self.identity = identity }

        deinit { OpenEnvironments.open.withLock { _ = $0.remove(identity) } }
    }

    private static let open = Mutex<Set<Identity>>([])

    static func register(_ directory: String) throws(LMDBError) -> Registration {
        var status = stat()
        // `stat` only writes into the buffer it is given.
        guard unsafe stat(directory, &status) == 0 else { throw .system("stat \(directory)") }
        let identity = Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw LMDBError(
                .EBUSY, operation: "open \(directory)",
                expected: "each environment open once in a process", found: "it is open already")
        }
        return Registration(identity)
    }
}
