import LedgerAPI
import LedgerModel
import Primitives

extension [SubscriptionKey: Timeline] {
    /// Returns the timelines of what Apple signed by an instant, without those that are then empty.
    func signed(by t: Instant) -> [SubscriptionKey: Timeline] {
        mapValues { $0.signed(by: t) }.filter { !$0.value.isEmpty }
    }

    /// Returns the number of purchases and revocations that Apple dated by an instant and signed later only.
    /// - Parameter keys: the keys that count; nil for all.
    func countSignedLater(than t: Instant, in keys: Set<SubscriptionKey>? = nil) -> Int {
        filter { keys?.contains($0.key) ?? true }.values.reduce(0) { $0 + $1.countSignedLater(than: t) }
    }
}

extension AsOfQuery {
    /// Returns the restriction of an answer; nil when the question has none.
    func signed(later: Int?) -> SignedBy? {
        signedBy.map { SignedBy($0, signedLater: later ?? 0) }
    }
}
