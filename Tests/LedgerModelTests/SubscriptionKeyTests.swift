import AppStoreModel
import LedgerModel
import Testing

@Suite struct `A subscription key` {
    @Test func `is ordered by the bytes of environment, bundle and original transaction`() {
        func key(_ environment: Environment, _ bundleId: String, _ id: String) -> SubscriptionKey {
            SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: id)
        }
        let ordered = [
            key(.production, "Z", "2"), key(.production, "a", "10"), key(.production, "a", "9"),
            key(.production, "e\u{301}", "1"), key(.production, "f", "1"), key(.production, "é", "1"),
            key(.sandbox, "a", "1"),
        ]
        #expect(ordered.reversed().sorted() == ordered)
    }
}
