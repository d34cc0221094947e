import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A replacement` {
    static let upgraded = transaction("1", 0, 100, signed: 50) { $0.isUpgraded = true }

    @Test func `is in force from the next transaction's purchaseDate`() {
        let periods = fold([Self.upgraded, transaction("2", 50, 150), transaction("3", 150, 250)]).periods
        #expect(periods[0].replacement?.start == minute(50))
        #expect(!periods[0].isReplaced(at: minute(49)))
        #expect(periods[0].isReplaced(at: minute(50)))
        #expect(periods[1].replacement == nil)
    }

    @Test func `is not in force while the next transaction is not known`() {
        #expect(fold([Self.upgraded]).periods[0].replacement == nil)
    }

    @Test func `follows from a revocation for a reason that is no refund`() {
        let bundled = transaction("1", 0, 100, signed: 50) {
            $0.revocation = .init(revocationDate: minute(50))
            $0.revocation?.revocationReason = .init(rawValue: 7)
        }
        let period = fold([bundled, transaction("2", 50, 150)]).periods[0]
        #expect(period.isReplaced(at: minute(50)))
        #expect(period.revocations.isEmpty)
    }

    @Test func `is never a refund, whatever dates the transaction carries`() {
        let refunded = transaction("1", 0, 100, signed: 50) {
            $0.isUpgraded = true
            $0.revocation = .init(revocationDate: minute(50))
            $0.revocation?.revocationReason = .other
        }
        #expect(fold([refunded, transaction("2", 50, 150)]).periods[0].revocations.isEmpty)
    }

    @Test(arguments: [(40, 40), (48, 48), (49, 50), (50, 50), (51, 50), (52, 50), (70, 50)])
    func `counts from the successor's start, or from an earlier revocationDate more than a minute before`(
        revokedAt: Int, start: Int
    ) {
        let bundled = transaction("1", 0, 100, signed: 80) {
            $0.revocation = .init(revocationDate: minute(revokedAt))
            $0.revocation?.revocationReason = .init(rawValue: 7)
        }
        #expect(fold([bundled, transaction("2", 50, 150)]).periods[0].replacement?.start == minute(start))
    }

    @Test func `is none by a purchase that begins when the period has ended`() {
        let bundled = transaction("1", 0, 100, signed: 50) {
            $0.revocation = .init(revocationDate: minute(50))
            $0.revocation?.revocationReason = .init(rawValue: 7)
        }
        let period = fold([bundled, transaction("2", 100, 150)]).periods[0]
        #expect(period.replacement == nil)
        #expect(period.revocation(at: minute(50)) != nil)
    }

    @Test func `may come from another key of the lineage`() {
        let group = { (fact: inout TransactionFact) in
            (fact.subscriptionGroupIdentifier, fact.appTransactionId) = ("G", "A")
        }
        let old = transaction("1", 0, 100, signed: 50) {
            group(&$0)
            $0.isUpgraded = true
        }
        let bundle = SubscriptionKey(
            environment: .production, bundleId: "com.example.app", originalTransactionId: "2")
        let timelines = [key: Timeline([old]), bundle: Timeline([transaction("2", 60, 160, signed: 60, group)])]
        #expect(Lineage.components(of: timelines)[0].subscriptions[0].periods[0].replacement?.start == minute(60))
    }

    @Test func `comes from the same key before any other of the lineage`() {
        let group = { (fact: inout TransactionFact) in
            (fact.subscriptionGroupIdentifier, fact.appTransactionId) = ("G", "A")
        }
        let old = transaction("1", 0, 100, signed: 50) {
            group(&$0)
            $0.isUpgraded = true
        }
        let shared = SubscriptionKey(
            environment: .production, bundleId: "com.example.app", originalTransactionId: "2")
        let timelines = [
            key: Timeline([old, transaction("3", 50, 150, signed: 50, group)]),
            shared: Timeline([transaction("2", 30, 130, signed: 30, group)]),
        ]
        let lineages = Lineage.components(of: timelines)
        #expect(lineages.count == 1)
        #expect(lineages[0].subscriptions[0].periods[0].replacement?.start == minute(50))
    }

    @Test func `by migration ends the old key from the first purchase of the new one`() {
        let new = SubscriptionKey(environment: .production, bundleId: "com.example.app", originalTransactionId: "9")
        let migrated = [transaction("9", 60, 160), transaction("10", 160, 260)].map { observation in
            guard case .transaction(var fact) = observation.fact else { return observation }
            fact.previousOriginalTransactionId = "1"
            return Observation(source: observation.source, fact: .transaction(fact))
        }
        let old = [transaction("1", 0, 50), transaction("2", 50, 100), transaction("3", 300, 400)]
        let lineages = Lineage.components(of: [key: Timeline(old), new: Timeline(migrated)])
        #expect(lineages.count == 1)
        let starts = lineages[0].subscriptions.map { $0.periods.map(\.replacement?.start) }
        #expect(starts == [[minute(60), minute(60), nil], [nil, nil]])
    }
}
