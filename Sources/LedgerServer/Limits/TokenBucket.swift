import Synchronization

/// A token bucket: `rate` tokens per second, at most `burst` at once.
final class TokenBucket: Sendable {
    private let rate: Double
    private let burst: Double
    private let state: Mutex<(tokens: Double, at: ContinuousClock.Instant?)>

    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
        state = Mutex((tokens: burst, at: nil))
    }

    /// Takes a token.
    /// - Returns: nil on success; otherwise the time until a token is available.
    func take(at now: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            if let last = state.at, now > last {
                let seconds = Double((now - last) / .milliseconds(1)) / 1_000
                state.tokens = min(burst, state.tokens + seconds * rate)
            }
            state.at = now
            guard state.tokens < 1 else {
                state.tokens -= 1
                return nil
            }
            return .milliseconds(Int64((1 - state.tokens) / rate * 1_000) + 1)
        }
    }
}
