import Synchronization

/// Serialises tasks per resource with 256 locks. Tasks whose resources share a lock also wait for each other. Waiting
/// suspends the task.
final class StripedLock: Sendable {
    private static let stripeCount = 256

    private struct Stripe {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let stripes = Mutex([Stripe](repeating: Stripe(), count: stripeCount))

    /// Runs `body` while holding the locks of all these resources.
    func withLock<Result>(
        on things: some Sequence<AnyHashable>, _ body: () async throws -> Result
    ) async rethrows -> Result {
        // All callers acquire locks in ascending order, so no two callers deadlock.
        let indices = Set(things.map { Int(UInt(bitPattern: $0.hashValue) % UInt(Self.stripeCount)) }).sorted()
        for index in indices { await acquire(index) }
        defer { for index in indices { release(index) } }
        return try await body()
    }

    private func acquire(_ index: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = stripes.withLock { stripes in
                if stripes[index].isHeld {
                    stripes[index].waiting.append(continuation)
                    return false
                }
                stripes[index].isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the lock to the caller that has waited longest.
    private func release(_ index: Int) {
        let next = stripes.withLock { stripes -> CheckedContinuation<Void, Never>? in
            guard !stripes[index].waiting.isEmpty else {
                stripes[index].isHeld = false
                return nil
            }
            return stripes[index].waiting.removeFirst()
        }
        next?.resume()
    }
}
