import Glibc
import Synchronization

/// The environments open in this process. None can be opened twice.
enum OpenEnvironments {
    /// Identifies a directory independently of its path.
    fileprivate struct Identity: Hashable {
        let device: UInt
        let inode: UInt
    }

    /// Registers an open environment for the lifetime of the object.
    final class Registration: Sendable {
        private let identity: Identity
        /// The descriptor of the directory. While it is open, the inode number is not reused, even if the directory is
        /// removed.
        private let descriptor: Int32

        fileprivate init(_ identity: Identity, _ descriptor: Int32) {
            self.identity = identity
            self.descriptor = descriptor
        }

        deinit {
            OpenEnvironments.open.withLock { _ = $0.remove(identity) }
            close(descriptor)
        }
    }

    private static let open = Mutex<Set<Identity>>([])

    static func register(_ directory: String) throws(LMDBError) -> Registration {
        let descriptor = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(directory)") }
        do throws(LMDBError) {
            return Registration(try take(descriptor, directory), descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func take(_ descriptor: Int32, _ directory: String) throws(LMDBError) -> Identity {
        var status = stat()
        // `fstat` only writes into the buffer it receives.
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("fstat \(directory)") }
        let identity = Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
        guard open.withLock({ $0.insert(identity).inserted }) else {
            throw LMDBError(
                .EBUSY, operation: "open \(directory)",
                expected: "each environment opened at most once per process", found: "an open environment")
        }
        return identity
    }
}
