import Synchronization

/// Lets one task at a time work on a thing, without a lock for each thing there is: things that share a stripe wait
/// for each other as well. Waiting suspends; it blocks no thread.
final class StripedLock: Sendable {
    private static let stripeCount = 256

    private struct Stripe {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let stripes = Mutex([Stripe](repeating: Stripe(), count: stripeCount))

    /// Runs `body` while it holds the stripes of all the things.
    func withLock<Result>(
        on things: some Sequence<AnyHashable>, _ body: () async throws -> Result
    ) async rethrows -> Result {
        // In one order for everybody, so that no two wait for each other.
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

    /// Hands the stripe to who has waited longest.
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
