import Glibc
import Synchronization

/// The databases of an environment that is reopened after a failed commit. liblmdb then answers no more requests, and
/// the outcome of the commit is visible only after reopening.
package final class RecoverableEnvironment<Store: Sendable>: Sendable {
    private let name: String
    private let open: @Sendable () throws -> Store
    /// Nil while the environment is closed to be reopened.
    private let opened: Mutex<Store?>

    /// - Parameter open: opens the store, which closes when the last reference to it is released.
    package init(_ name: String, _ open: @escaping @Sendable () throws -> Store) throws {
        self.name = name
        self.open = open
        opened = Mutex(try open())
    }

    /// - Throws: `busy` while the environment is being reopened.
    package func current() throws(StorageError) -> Store {
        guard let store = opened.withLock({ $0 }) else {
            throw StorageError(.busy, "\(name) is being reopened after a failed commit", hint: "Try again.")
        }
        return store
    }

    /// Returns the store, for the writer. Reopens it if that has failed before.
    package func currentOrReopened() throws -> Store {
        if opened.withLock({ $0 == nil }) { try reopen() }
        return try current()
    }

    /// Reopens the environment, for the writer, after a commit whose outcome is unknown.
    ///
    /// The old environment closes when its active readers have ended. That is soon, since no reader crosses an await.
    package func reopen() throws {
        opened.withLock { $0 = nil }
        let store = try openAgain()
        opened.withLock { $0 = store }
    }

    /// Opens the environment whose folder has taken the place of the open one's. Readers of the old one finish there, and
    /// no reader is refused meanwhile.
    package func openReplacement() throws {
        let store = try openAgain()
        opened.withLock { $0 = store }
    }

    private func openAgain() throws -> Store {
        var attempts = Self.attempts
        while true {
            do {
                return try open()
            } catch let error as StorageError where error.isRetryable && attempts > 0 {
                attempts -= 1
                usleep(Self.pauseMicroseconds)
            }
        }
    }

    private static var attempts: Int { 3_000 }
    private static var pauseMicroseconds: UInt32 { 10_000 }
}
