import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import ProductStates
import Testing

@Suite struct `The service of non-renewing subscriptions` {
    private typealias Keyed = (key: SubscriptionKey, purchase: OneTimePurchase)

    private static func day(_ number: Int) -> Instant { Instant(milliseconds: Int64(number) * 86_400_000) }

    /// A purchase with its days: of the purchase, of its refund, and of the signing that lifts the refund.
    private static func purchase(
        _ id: Int, on bought: Int, quantity: Int64 = 1, refunded: Int? = nil, reversed: Int? = nil
    ) -> Keyed {
        func statement(signed: Instant, isRefunded: Bool) -> Observation {
            var fact = TransactionFact(transactionId: AppleID("\(id)"))
            fact.productId = "season"
            fact.type = .nonRenewing
            fact.purchaseDate = day(bought)
            fact.quantity = quantity
            if isRefunded { fact.revocation = refunded.map { TransactionFact.Revocation(revocationDate: day($0)) } }
            let name = ObservationName(digest: .sha256(of: "\(id) \(signed)".utf8))
            return Observation(
                source: Source(name: name, time: signed, rank: .jws, position: 0, recordedAt: signed),
                fact: .transaction(fact))
        }
        var statements = [statement(signed: day(bought), isRefunded: false)]
        if let refunded {
            statements.append(statement(signed: day(refunded).advanced(byMilliseconds: 1), isRefunded: true))
        }
        if let reversed { statements.append(statement(signed: day(reversed), isRefunded: false)) }
        let key = SubscriptionKey(environment: .production, bundleId: "app", originalTransactionId: "\(id)")
        return (key, OneTimePurchase.all(in: Timeline(statements))[0])
    }

    /// The days of each service at the end of a day; the purchases of ten days each.
    private static func days(_ purchases: [Keyed], at t: Int) -> [ClosedRange<Int>] {
        NonRenewingService.all(of: purchases, at: day(t)) { _ in CalendarPeriod(10, .day) }.map {
            let (start, end) = ($0.range.lowerBound.milliseconds, $0.range.upperBound.milliseconds)
            return Int(start / 86_400_000)...Int(end / 86_400_000)
        }
    }

    @Test func `begins after that of an earlier purchase, and lasts for quantity times the duration`() {
        let purchases = [
            Self.purchase(1, on: 0), Self.purchase(2, on: 4), Self.purchase(3, on: 30, quantity: 3),
            Self.purchase(4, on: 31),
        ]
        #expect(Self.days(purchases.reversed(), at: 100) == [0...10, 10...20, 30...60, 60...70])
        #expect(Self.days(purchases, at: 4) == [0...10, 10...20])
        #expect(Self.days(purchases, at: 3) == [0...10])
    }

    @Test func `ends at a refund, and those that had not begun move up`() {
        func days(refundOf id: Int, on refunded: Int, reversed: Int? = nil, at t: Int = 100) -> [ClosedRange<Int>] {
            let purchases = (1...3).map {
                Self.purchase(
                    $0, on: $0 - 1, refunded: $0 == id ? refunded : nil, reversed: $0 == id ? reversed : nil)
            }
            return Self.days(purchases, at: t)
        }
        // Of the service in use.
        #expect(days(refundOf: 1, on: 6) == [0...6, 6...16, 16...26])
        // Of one not begun.
        #expect(days(refundOf: 2, on: 6) == [0...10, 6...6, 10...20])
        #expect(days(refundOf: 3, on: 6) == [0...10, 10...20, 6...6])
        // Of one used up: nothing moves back.
        #expect(days(refundOf: 1, on: 15) == [0...10, 10...20, 20...30])
        // Not yet, and no longer.
        #expect(days(refundOf: 1, on: 6, at: 5) == [0...10, 10...20, 20...30])
        #expect(days(refundOf: 1, on: 6, reversed: 8, at: 7) == [0...6, 6...16, 16...26])
        #expect(days(refundOf: 1, on: 6, reversed: 8) == [0...10, 10...20, 20...30])
    }

    @Test func `counts months in the calendar, and none without a duration`() throws {
        let bought = try #require(Instant(iso8601: "2026-01-31"))
        let number = Int(bought.milliseconds / 86_400_000)
        let purchases = [Self.purchase(1, on: number), Self.purchase(2, on: number, quantity: 2)]
        let services = NonRenewingService.all(of: purchases, at: bought) { _ in CalendarPeriod(1, .month) }
        #expect(services.map(\.range.upperBound.iso8601) == ["2026-02-28T00:00:00.000Z", "2026-04-28T00:00:00.000Z"])
        #expect(NonRenewingService.all(of: purchases, at: bought) { _ in nil }.isEmpty)
    }

    /// A queue of days: each day uses one of the first purchase that has any left. A refund removes what is left of its
    /// purchase.
    private static func model(_ purchases: [(id: Int, bought: Int, refunded: Int?)], at t: Int) -> [Int: Set<Int>] {
        var left: [Int: Int] = [:]
        var used: [Int: Set<Int>] = [:]
        let made = purchases.filter { $0.bought <= t }.sorted { ($0.bought, $0.id) < ($1.bought, $1.id) }
        for today in 0..<400 {
            for purchase in made {
                if purchase.bought == today { left[purchase.id] = 10 }
                if let refunded = purchase.refunded, refunded <= t, refunded == today { left[purchase.id] = 0 }
            }
            guard let current = made.first(where: { left[$0.id, default: 0] > 0 }) else { continue }
            left[current.id, default: 0] -= 1
            used[current.id, default: []].insert(today)
        }
        return used
    }

    @Test func `is that of a queue of days`() {
        var random = SeededRandom()
        for _ in 0..<500 {
            let purchases = (1...Int.random(in: 1...6, using: &random)).map { id in
                let bought = Int.random(in: 0..<40, using: &random)
                let refunded = random.chance(40) ? bought + Int.random(in: 0..<40, using: &random) : nil
                return (id: id, bought: bought, refunded: refunded)
            }
            let t = Int.random(in: 0..<100, using: &random)
            let keyed = purchases.map { Self.purchase($0.id, on: $0.bought, refunded: $0.refunded) }
                .shuffled(using: &random)
            let services = NonRenewingService.all(of: keyed, at: Self.day(t)) { _ in CalendarPeriod(10, .day) }
            let model = Self.model(purchases, at: t)
            for service in services {
                let id = Int(service.purchase.transactionId.text) ?? 0
                let start = Int(service.range.lowerBound.milliseconds / 86_400_000)
                let end = Int(service.range.upperBound.milliseconds / 86_400_000)
                #expect(Set(start..<end) == model[id] ?? [], "\(purchases) at \(t), purchase \(id)")
            }
        }
    }
}
