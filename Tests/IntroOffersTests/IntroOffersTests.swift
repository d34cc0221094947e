import AppStoreModel
import IntroOffers
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `Introductory offers` {
    private static func day(_ number: Int) -> Instant { Instant(milliseconds: Int64(number) * 86_400_000) }

    private static func key(_ id: String) -> SubscriptionKey {
        SubscriptionKey(environment: .production, bundleId: "app", originalTransactionId: id)
    }

    private static func observation(_ fact: Fact, _ signed: Instant) -> Observation {
        let name = ObservationName(digest: .sha256(of: "\(fact) \(signed)".utf8))
        return Observation(
            source: Source(name: name, time: signed, rank: .jws, position: 7, recordedAt: signed), fact: fact)
    }

    /// A purchase of thirty days.
    private static func purchase(
        _ id: String, on start: Int, account: AppleID? = nil, isIntroductory: Bool = false, price: Int64? = nil
    ) -> (SubscriptionKey, Timeline) {
        var fact = TransactionFact(transactionId: AppleID(id))
        fact.productId = "pro"
        fact.subscriptionGroupIdentifier = "g"
        fact.type = .autoRenewable
        fact.inAppOwnershipType = .purchased
        (fact.purchaseDate, fact.expiresDate) = (day(start), day(start + 30))
        fact.appTransactionId = account
        fact.price = price.map { TransactionFact.Price(price: $0, currency: "EUR") }
        if isIntroductory {
            fact.offer = TransactionFact.Offer(
                offerType: .introductory, offerIdentifier: nil, offerDiscountType: nil, offerPeriod: nil)
        }
        return (key(id), Timeline([observation(.transaction(fact), day(start))]))
    }

    private static func offers(
        _ timelines: [(SubscriptionKey, Timeline)], of keys: [String], on asOf: Int,
        account: Rules.Intro.Account = .customer, offer: CatalogOffer? = nil
    ) -> IntroOffers {
        var product = CatalogProduct(id: "pro", kind: .autoRenewable)
        product.group = "g"
        product.duration = CalendarPeriod(1, .month)
        product.offers = offer.map { [$0] } ?? []
        var catalog = Catalog(bundleId: "app")
        catalog.products = [product]
        var rules = Rules.Intro()
        rules.account = account
        let lineages = Lineage.components(of: Dictionary(uniqueKeysWithValues: timelines))
        let change = CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)
        return IntroOffers(
            lineages, namedBy: Set(keys.map(key)), lineages.states(at: day(asOf), rules: Rules()), at: day(asOf),
            rules: rules, catalogs: ["app": CatalogHistory([change])])
    }

    private static let pro = ProductName("app", "pro")

    private static func reason(_ offers: IntroOffers) -> IntroEligibility.Reason { offers.eligibility(for: pro).reason }

    @Test func `are used up by other purchases of the same Apple account, and by no other account`() {
        let purchases = [
            Self.purchase("1", on: 0, account: "700", isIntroductory: true),
            Self.purchase("2", on: 100, account: "700"), Self.purchase("3", on: 50, account: "701"),
        ]
        #expect(Self.reason(Self.offers(purchases, of: ["2"], on: 200)) == .consumed)
        #expect(Self.reason(Self.offers(purchases, of: ["3"], on: 200)) == .lapsed)
        #expect(Self.reason(Self.offers(purchases, of: [], on: 200)) == .neverSubscribed)
    }

    @Test func `follow all accounts of a customer, or the one with the newest purchase, as the rule says`() {
        let purchases = [
            Self.purchase("1", on: 0, account: "700", isIntroductory: true),
            Self.purchase("2", on: 100, account: "701"),
        ]
        #expect(Self.reason(Self.offers(purchases, of: ["1", "2"], on: 200)) == .consumed)
        #expect(Self.reason(Self.offers(purchases, of: ["1", "2"], on: 200, account: .account)) == .lapsed)
    }

    @Test func `are not for the subscriber of a purchase that only a renewal info implies`() {
        var renewal = RenewalFact()
        (renewal.productId, renewal.autoRenewProductId, renewal.autoRenewStatus) = ("pro", "pro", .on)
        renewal.renewalDate = Self.day(60)
        let implied = (Self.key("1"), Timeline([Self.observation(.renewal(renewal), Self.day(31))]))
        let known = Self.purchase("1", on: 0)
        let timeline = (Self.key("1"), known.1.union(implied.1))
        #expect(Self.reason(Self.offers([timeline], of: ["1"], on: 40)) == .subscribed)
        #expect(Self.reason(Self.offers([implied], of: ["1"], on: 40)) == .subscribed)
    }

    @Test func `are unknown before the first known purchase of a subscription that began earlier`() {
        let later = Self.purchase("2", on: 100)
        func renewal(began day: Int) -> (SubscriptionKey, Timeline) {
            var fact = later.1.transactions[0].value
            fact.originalPurchaseDate = Self.day(day)
            return (Self.key("1"), Timeline([Self.observation(.transaction(fact), Self.day(100))]))
        }
        #expect(Self.reason(Self.offers([renewal(began: 0)], of: ["1"], on: 50)) == .historyIncomplete)
        #expect(Self.reason(Self.offers([renewal(began: 60)], of: ["1"], on: 50)) == .neverSubscribed)
        #expect(Self.reason(Self.offers([renewal(began: 0)], of: ["1"], on: 200)) == .historyIncomplete)
        #expect(Self.reason(Self.offers([renewal(began: 0)], of: [], on: 50)) == .neverSubscribed)
    }

    private static func charges(_ offer: CatalogOffer?, price: Int64? = nil) throws -> [String] {
        let start = try #require(Instant(iso8601: "2026-01-31"))
        let day = Int(start.milliseconds / 86_400_000)
        let purchases = price.map { [Self.purchase("1", on: 0, price: $0)] } ?? []
        let offers = Self.offers(purchases, of: ["1"], on: day, offer: offer)
        return offers.schedule(of: Self.pro, offers.eligibility(for: Self.pro)).map { charge in
            let until = charge.until.map { String($0.iso8601.prefix(10)) } ?? "on"
            let price = charge.price.map { "\($0)" } ?? "?"
            return "\(charge.from.iso8601.prefix(10)) \(until) \(charge.payment.rawValue) \(price)"
        }
    }

    @Test func `give the charges of their terms, then the standard price`() throws {
        let trial = CatalogOffer(kind: .introductory, payment: .freeTrial, period: CalendarPeriod(1, .week), periods: 2)
        #expect(
            try Self.charges(trial, price: 9_990)
                == ["2026-01-31 2026-02-14 freeTrial 0", "2026-02-14 on standard 9990"])
        var upFront = CatalogOffer(
            kind: .introductory, payment: .payUpFront, period: CalendarPeriod(3, .month), periods: 1)
        upFront.priceMilliunits = 14_990
        #expect(
            try Self.charges(upFront) == ["2026-01-31 2026-04-30 payUpFront 14990", "2026-04-30 on standard ?"])
        var asYouGo = CatalogOffer(
            kind: .introductory, payment: .payAsYouGo, period: CalendarPeriod(1, .month), periods: 3)
        asYouGo.priceMilliunits = 990
        #expect(
            try Self.charges(asYouGo) == [
                "2026-01-31 2026-02-28 payAsYouGo 990", "2026-02-28 2026-03-31 payAsYouGo 990",
                "2026-03-31 2026-04-30 payAsYouGo 990", "2026-04-30 on standard ?",
            ])
        #expect(try Self.charges(nil) == ["2026-01-31 on standard ?"])
    }

    @Test func `give only the standard price to whoever is not eligible, and no charges while that is unknown`() {
        let trial = CatalogOffer(kind: .introductory, payment: .freeTrial, period: CalendarPeriod(1, .week), periods: 1)
        let used = Self.offers(
            [Self.purchase("1", on: 0, isIntroductory: true)], of: ["1"], on: 100, offer: trial)
        #expect(used.schedule(of: Self.pro, used.eligibility(for: Self.pro)).map(\.payment) == [.standard])
        #expect(used.schedule(of: Self.pro, .unknownProduct).isEmpty)
        #expect(used.eligibility(for: ProductName("app", "other")) == .unknownProduct)
    }
}
