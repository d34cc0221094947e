import AppStoreModel
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Revenue
import Testing

@Suite struct `Money` {
    private static let day = StatedPurchases.day

    private static func unit(
        _ purchases: StatedPurchases, on asOf: Int, catalogs: [Symbol: CatalogHistory] = [:]
    ) throws -> PurchaseUnit {
        try #require(purchases.lineages.purchaseUnits(by: .group, at: day(asOf), catalogs: catalogs).first)
    }

    private static func revenue(
        _ purchases: StatedPurchases, on asOf: Int, catalogs: [Symbol: CatalogHistory] = [:]
    ) throws -> Int64 {
        try unit(purchases, on: asOf, catalogs: catalogs).monthlyRevenue(.default)["USD"]
    }

    /// The movements other than sales: the kind and the amount.
    private static func movements(_ purchases: StatedPurchases, on asOf: Int) throws -> [String] {
        try unit(purchases, on: asOf).charges.filter { $0.kind != .sale }.map { "\($0.kind) \($0.amount ?? 0)" }
    }

    private static func refund(_ days: Int, percentage: Int64? = nil) -> TransactionFact.Revocation {
        var revocation = TransactionFact.Revocation(revocationDate: day(days))
        revocation.revocationType = percentage == nil ? .refundFull : .refundProrated
        (revocation.revocationPercentage, revocation.revocationReason) = (percentage, .appIssue)
        return revocation
    }

    private static func catalogs(_ duration: CalendarPeriod, offer: CatalogOffer? = nil) -> [Symbol: CatalogHistory] {
        var product = CatalogProduct(id: "monthly", kind: .autoRenewable)
        (product.group, product.duration) = ("g", duration)
        product.offers = offer.map { [$0] } ?? []
        var catalog = Catalog(bundleId: "app")
        catalog.products = [product]
        return ["app": CatalogHistory([CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)])]
    }

    @Test func `does not recur after Apple ended a grace period early`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.failure(endingOn: 31, graceUntil: 47)
        #expect(try Self.revenue(purchases, on: 38) == 9_990)
        purchases.failure(endingOn: 31, signed: 35)
        #expect(try Self.revenue(purchases, on: 34) == 9_990 && Self.revenue(purchases, on: 38) == 0)
    }

    @Test func `keeps the share of a sale when an older purchase is refunded later`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<365)
        purchases.buy("2", 365..<730)
        purchases.buy("1", 0..<365, signed: 424) { $0.revocation = Self.refund(424) }
        for asOf in [400, 500] {
            let rates = ProceedsRates(try Self.unit(purchases, on: asOf), Rules.Revenue())
            #expect(rates.rate(ofSaleAt: Self.day(365)) == 8_500 && rates.paidDays(at: Self.day(365)) == 365, "\(asOf)")
        }
        let later = ProceedsRates(try Self.unit(purchases, on: 500), Rules.Revenue())
        #expect(later.rate(ofSaleAt: Self.day(499)) == 7_000)
    }

    @Test func `goes back once: what an upgrade gave back, a refund does not`() throws {
        func upgraded(_ change: @escaping (inout TransactionFact) -> Void) -> StatedPurchases {
            var purchases = StatedPurchases()
            purchases.buy("1", 0..<30)
            purchases.buy("2", 15..<45) { ($0.productId, $0.transactionReason) = ("max", .purchase) }
            purchases.buy("1", 0..<30, signed: 24, change)
            return purchases
        }
        let full = upgraded { ($0.isUpgraded, $0.revocation) = (true, Self.refund(24)) }
        #expect(try Self.movements(full, on: 40) == ["upgradeCredit -4995", "refund -4995"])
        let atOnce = upgraded { ($0.isUpgraded, $0.revocation) = (true, Self.refund(15)) }
        #expect(try Self.movements(atOnce, on: 40) == ["upgradeCredit -4995"])
        let part = upgraded { $0.revocation = Self.refund(24, percentage: 60_000) }
        #expect(try Self.movements(part, on: 40) == ["upgradeCredit -4995", "refund -999"])
    }

    @Test func `goes back in parts, each at its date`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.buy("1", 0..<31, signed: 6) { $0.revocation = Self.refund(6, percentage: 30_000) }
        purchases.buy("1", 0..<31, signed: 11) { $0.revocation = Self.refund(11) }
        #expect(try Self.movements(purchases, on: 8) == ["refund -2997"])
        #expect(try Self.movements(purchases, on: 20) == ["refund -2997", "refund -6993"])
    }

    @Test func `of a month of a commitment is for a month`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31) {
            var commitment = TransactionFact.Commitment()
            commitment.billingPlanType = .monthly
            $0.commitment = commitment
        }
        #expect(try Self.revenue(purchases, on: 10, catalogs: Self.catalogs(CalendarPeriod(1, .year))) == 9_990)
    }

    @Test func `paid up front is for the whole offer, also where only the catalogue has its terms`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<90) {
            $0.offer = TransactionFact.Offer(
                offerType: .introductory, offerIdentifier: nil, offerDiscountType: nil, offerPeriod: nil)
        }
        let offer = CatalogOffer(
            kind: .introductory, payment: .payUpFront, period: CalendarPeriod(3, .month), periods: 1)
        let month = CalendarPeriod(1, .month)
        #expect(try Self.revenue(purchases, on: 10, catalogs: Self.catalogs(month, offer: offer)) == 3_330)
        #expect(try Self.unit(purchases, on: 10).monthlyRevenue(.default).unknownCount == 1)
    }

    @Test func `has an unknown share after a migration from a key that is not known`() throws {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31) { $0.previousOriginalTransactionId = "77" }
        let rates = ProceedsRates(try Self.unit(purchases, on: 10), Rules.Revenue())
        #expect(rates.rate(ofSaleAt: Self.day(0)) == nil)
    }
}
