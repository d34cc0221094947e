import Glibc
import Synchronization

/// The databases of an environment that is opened again after a failed commit. liblmdb answers nothing any more then,
/// and what of the commit is there shows only in a new opening.
package final class Reopenable<Store: Sendable>: Sendable {
    private let name: String
    private let open: @Sendable () throws -> Store
    /// Nil while it is closed to be opened again.
    private let opened: Mutex<Store?>

    /// - Parameter open: closes what it opened when the last reference to the store is gone.
    package init(_ name: String, _ open: @escaping @Sendable () throws -> Store) throws {
        self.name = name
        self.open = open
        opened = Mutex(try open())
    }

    /// - Throws: `busy` while it is being opened again.
    package func current() throws(EventLogError) -> Store {
        guard let store = opened.withLock({ $0 }) else {
            throw EventLogError(.busy, "\(name) is being opened again after a failed commit", hint: "Try again.")
        }
        return store
    }

    /// For the one who writes: the store, opened again if that has failed before.
    package func currentOrReopened() throws -> Store {
        if opened.withLock({ $0 == nil }) { try reopen() }
        return try current()
    }

    /// For the one who writes, after a commit whose outcome is unknown.
    ///
    /// It closes when the readers at work have ended, which is soon: no reader crosses an await.
    package func reopen() throws {
        opened.withLock { $0 = nil }
        let store = try openAgain()
        opened.withLock { $0 = store }
    }

    private func openAgain() throws -> Store {
        var attempts = Self.attempts
        while true {
            do {
                return try open()
            } catch let error as EventLogError where error.isRetryable && attempts > 0 {
                attempts -= 1
                usleep(Self.pauseMicroseconds)
            }
        }
    }

    private static var attempts: Int { 3_000 }
    private static var pauseMicroseconds: UInt32 { 10_000 }
}
