import AppStoreModel
import Churn
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Testing

@Suite struct `Who leaves` {
    private static let day = StatedPurchases.day

    private static func unit(_ purchases: StatedPurchases, on asOf: Int) throws -> PurchaseUnit {
        try #require(purchases.lineages.purchaseUnits(by: .group, at: day(asOf), catalogs: [:]).first)
    }

    private static func number(_ instant: Instant?) -> Int? {
        instant.map { Int(($0.milliseconds - day(0).milliseconds) / Instant.millisecondsPerDay) }
    }

    /// The departures: the purchase, the days of the end and of the departure, the class, and the day of the return.
    private static func departures(
        _ purchases: StatedPurchases, on asOf: Int, rules: Rules.Churn = Rules.Churn()
    ) throws -> [String] {
        try unit(purchases, on: asOf).churnEpisodes(rules).map { episode in
            let days = [episode.endedAt, episode.churnedAt].compactMap { number($0) }
            let back = number(episode.reactivatedAt).map { " back \($0)" } ?? ""
            return "\(episode.purchase.transactionId?.text ?? "-") \(days[0]) \(days[1]) \(episode.churnClass.rawValue)"
                + back
        }
    }

    private static func outcomes(
        _ purchases: StatedPurchases, on asOf: Int, rules: Rules.Churn = Rules.Churn()
    ) throws -> [String] {
        try unit(purchases, on: asOf).retryEpisodes(rules).map { episode in
            switch episode.outcome {
            case .recovered(let at): "recovered \(number(at) ?? 0)"
            case .boughtAgain(let at): "boughtAgain \(number(at) ?? 0)"
            case .lost(let at): "lost \(number(at) ?? 0)"
            case .open: "open"
            }
        }
    }

    private static func inRetry(_ purchases: StatedPurchases, on asOf: Int, _ rules: Rules = Rules()) throws -> [Int] {
        try unit(purchases, on: asOf).rows(in: .inRetry, rules).compactMap(\.retryDay)
    }

    @Test func `does not include a recovered renewal whose first purchase is refunded later`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31, graceUntil: 47)
        purchases.buy("2", 35..<66)
        purchases.buy("1", 0..<31, signed: 50) {
            $0.revocation = TransactionFact.Revocation(revocationDate: Self.day(50))
        }
        #expect(try Self.departures(purchases, on: 59) == [])
        #expect(try Self.outcomes(purchases, on: 59) == ["recovered 35"])
    }

    @Test func `is in retry in a gap of which only the later recovery tells`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.buy("2", 35..<66)
        #expect(try Self.inRetry(purchases, on: 33) == [3])
        #expect(try Self.outcomes(purchases, on: 33) == ["open"])
        #expect(try Self.outcomes(purchases, on: 40) == ["recovered 35"])
    }

    @Test func `does not include an upgrade whose new purchase is not known`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.buy("1", 0..<31, signed: 15) { $0.isUpgraded = true }
        #expect(try Self.departures(purchases, on: 40) == [])
    }

    /// Receipts state no reason: within 60 days of a failure, the next purchase is the one that Apple retried.
    @Test(arguments: [(90, "recovered 90"), (92, "lost 91")])
    func `takes a purchase without a reason for the recovery while Apple retries`(
        start: Int, outcome: String
    ) throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31)
        purchases.buy("2", start..<start + 31) { $0.transactionReason = nil }
        #expect(try Self.outcomes(purchases, on: 100) == [outcome])
    }

    @Test func `does not include a key that migrated, in retry or not`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31)
        purchases.buy("9", of: "9", 35..<66) {
            ($0.previousOriginalTransactionId, $0.subscriptionGroupIdentifier) = ("1", "other")
        }
        #expect(try Self.outcomes(purchases, on: 50) == ["boughtAgain 35"])
        #expect(try Self.inRetry(purchases, on: 50) == [])
        #expect(try Self.departures(purchases, on: 150) == [])
    }

    @Test func `left when the last of several keys ended, and is not in retry while one is active`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<365) { $0.productId = "yearly" }
        purchases.renewal(endingOn: 365, signed: 1) {
            ($0.productId, $0.autoRenewProductId, $0.autoRenewStatus) = ("yearly", "yearly", .off)
        }
        purchases.buy("7", of: "7", 60..<91)
        purchases.failure(of: "7", endingOn: 91)
        #expect(try Self.departures(purchases, on: 400) == ["1 365 365 voluntary"])
        #expect(try Self.inRetry(purchases, on: 110) == [])
    }

    @Test func `is in retry for as long as Apple retries, whatever days of retry the rules count`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31)
        var rules = Rules()
        rules.churn.retryDays = 30
        #expect(try Self.inRetry(purchases, on: 71, rules) == [41])
        #expect(try Self.departures(purchases, on: 71, rules: rules.churn) == [])
        #expect(try Self.departures(purchases, on: 95, rules: rules.churn) == ["1 31 61 involuntary"])
    }

    @Test func `is in grace after auto-renew is turned off`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.renewal(endingOn: 31, signed: 35) {
            ($0.autoRenewStatus, $0.isInBillingRetryPeriod, $0.expirationIntent) = (.off, true, .billingError)
            $0.gracePeriodExpiresDate = Self.day(47)
        }
        #expect(try Self.inRetry(purchases, on: 40) == [10])
        #expect(try Self.departures(purchases, on: 60) == ["1 31 35 involuntary"])
    }

    @Test func `has not recovered by a purchase that is only implied`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31)
        purchases.renewal(endingOn: 63, signed: 35)
        #expect(try !Self.outcomes(purchases, on: 45).contains { $0.hasPrefix("boughtAgain") })
        #expect(try Self.unit(purchases, on: 45).rows(in: .recovered, Rules()).isEmpty)
    }

    @Test func `came back once and for all, whatever was free in between`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.renewal(endingOn: 31, signed: 1) { $0.autoRenewStatus = .off }
        purchases.buy("2", 60..<90) {
            ($0.price, $0.transactionReason) = (TransactionFact.Price(price: 0, currency: "USD"), .purchase)
        }
        purchases.buy("3", 150..<180) { $0.transactionReason = .purchase }
        for asOf in [160, 200] {
            #expect(try Self.departures(purchases, on: asOf).first == "1 31 31 voluntary back 150")
        }
    }
}
