import AppStoreModel
import LedgerModel
import Primitives
import ProductStates
import SubscriptionStatus
import Testing

@Suite struct `The steps of a customer` {
    private static func day(_ number: Int) -> Instant { Instant(milliseconds: Int64(number) * 86_400_000) }
    private static let bundleId: Symbol = "app"
    private static let catalogs = [bundleId: CatalogHistory([change])]

    /// Two levels of a group, with a product each and one more on the lower level; and a trial of another product.
    private static var change: CatalogChange {
        var catalog = Catalog(bundleId: bundleId)
        func add(_ id: Symbol, level: Int?, _ entitlements: [Symbol], unlocks: Symbol? = nil) {
            var product = CatalogProduct(id: id, kind: level == nil ? .nonConsumable : .autoRenewable)
            (product.group, product.level) = (level == nil ? nil : "g", level)
            product.entitlements = entitlements
            product.trial = unlocks.map { CatalogProduct.Trial(unlocks: $0, duration: CalendarPeriod(14, .day)) }
            catalog.products.append(product)
        }
        add("max", level: 1, ["pro", "max"])
        add("pro", level: 2, ["pro"])
        add("lite", level: 3, [])
        add("mini", level: 3, [])
        add("unlock", level: nil, ["all"])
        add("trial14", level: nil, [], unlocks: "unlock")
        return CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)
    }

    private static func observation(_ fact: Fact, signed: Int) -> Observation {
        let name = ObservationName(digest: .sha256(of: "\(fact) \(signed)".utf8))
        return Observation(
            source: Source(name: name, time: day(signed), rank: .jws, position: 0, recordedAt: day(signed)), fact: fact)
    }

    /// A purchase of the days [0, 30), or of a product without an end.
    private static func bought(
        _ productId: Symbol, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> Observation {
        var fact = TransactionFact(transactionId: AppleID("1"))
        (fact.productId, fact.inAppOwnershipType, fact.purchaseDate) = (productId, .purchased, day(0))
        let isSubscription = catalogs[bundleId]?.product(productId, at: day(0))?.kind == .autoRenewable
        fact.type = isSubscription ? .autoRenewable : .nonConsumable
        if isSubscription {
            (fact.expiresDate, fact.subscriptionGroupIdentifier) = (day(30), "g")
            fact.price = TransactionFact.Price(price: 9_990, currency: "USD")
        }
        change(&fact)
        return observation(.transaction(fact), signed: 0)
    }

    private static func info(
        _ productId: Symbol, signed: Int = 1, _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> Observation {
        var fact = RenewalFact()
        (fact.productId, fact.autoRenewProductId, fact.autoRenewStatus) = (productId, productId, .on)
        fact.renewalDate = day(30)
        change(&fact)
        return observation(.renewal(fact), signed: signed)
    }

    private static func products(_ keys: [[Observation]], at t: Instant) -> CustomerProducts {
        let timelines = keys.enumerated().map { number, observations in
            let key = SubscriptionKey(
                environment: .production, bundleId: bundleId.text, originalTransactionId: "\(number)")
            return (key, Timeline(observations))
        }
        let lineages = Lineage.components(of: Dictionary(uniqueKeysWithValues: timelines))
        return CustomerProducts(
            lineages.states(at: t, rules: Rules()), of: lineages.flatMap(\.subscriptions), purchases: [:],
            downloads: [], grants: [], at: t, catalogs: catalogs)
    }

    /// The steps in words: the action, its products or offers, the days left, the price, and what is at stake.
    private static func steps(_ keys: [Observation]..., at number: Int) -> [String] {
        let t = day(number)
        return products(keys, at: t).steps.map { step in
            let parts: [String?] = [
                step.action.rawValue, (step.products.map(\.text) + step.offerIds).joined(separator: "+"),
                step.daysLeft(at: t).map { "\($0) days" }, step.price.map { "\($0.price)" },
                step.entitlements.map(\.text).joined(separator: "+"),
            ]
            return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    @Test func `tell who has a billing problem how long service lasts, and what ends then`() {
        let failed = Self.info("max", signed: 30) {
            ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, .billingError)
            $0.gracePeriodExpiresDate = Self.day(46)
            $0.renewalPrice = TransactionFact.Price(price: 12_990, currency: "USD")
        }
        #expect(Self.steps([Self.bought("max"), failed], at: 31) == ["fixBilling 15 days 12990 pro+max"])
        // Another subscription gives one of the entitlements, so that only the other one ends.
        let other = Self.bought("pro") { $0.expiresDate = Self.day(400) }
        #expect(Self.steps([Self.bought("max"), failed], [other], at: 31) == ["fixBilling 15 days 12990 max"])
        // In billing retry, Apple tries for sixty days.
        #expect(Self.steps([Self.bought("max"), failed], at: 50) == ["fixBilling 40 days 12990 pro+max"])
    }

    @Test func `offer products of a lower level to who will leave`() {
        let off = Self.info("pro") { $0.autoRenewStatus = .off }
        #expect(Self.steps([Self.bought("pro"), off], at: 10) == ["offerDowngrade lite+mini 20 days 9990 pro"])
        #expect(Self.steps([Self.bought("pro"), Self.info("pro")], at: 10) == [])
        let lowest = Self.info("lite") { $0.autoRenewStatus = .off }
        #expect(Self.steps([Self.bought("lite"), lowest], at: 10) == [])
        #expect(Self.products([[Self.bought("pro"), off]], at: Self.day(10)).nextStep == .offerDowngrade)
    }

    @Test func `ask for consent to a price before the end`() {
        let pending = Self.info("pro") {
            $0.priceIncreaseStatus = .pending
            $0.renewalPrice = TransactionFact.Price(price: 14_990, currency: "USD")
        }
        #expect(Self.steps([Self.bought("pro"), pending], at: 29) == ["consentToPrice 1 days 14990 pro"])
    }

    @Test func `bring back who left, once for each group without service`() {
        let off = Self.info("pro") { $0.autoRenewStatus = .off }
        let left = [Self.bought("pro"), off]
        #expect(Self.steps(left, at: 40) == ["resubscribe 9990 pro"])
        let later = [Self.bought("max") { ($0.purchaseDate, $0.expiresDate) = (Self.day(32), Self.day(62)) }]
        #expect(Self.steps(left, later, at: 40) == [])
        #expect(Self.steps(left, later, at: 70) == ["resubscribe 9990 pro+max"])
        let winBack = Self.info("pro", signed: 31) {
            ($0.autoRenewStatus, $0.expirationIntent) = (.off, .cancelled)
            $0.eligibleWinBackOfferIds = OfferIdentifiers.interned(["win"])
        }
        #expect(Self.steps([Self.bought("pro"), winBack], at: 40) == ["offerWinBack win 9990 pro"])
    }

    @Test func `offer the product that a trial unlocks, with the days left`() {
        #expect(Self.steps([Self.bought("trial14")], at: 4) == ["buy unlock 10 days all"])
        #expect(Self.steps([Self.bought("trial14")], at: 14) == ["buy unlock all"])
        #expect(Self.steps([Self.bought("trial14")], [Self.bought("unlock")], at: 4) == [])
    }

    @Test func `lead to Apple's pages`() {
        let left = Self.products(
            [[Self.bought("pro"), Self.info("pro") { $0.autoRenewStatus = .off }]], at: Self.day(40))
        #expect(left.steps.first?.url == "https://apps.apple.com/account/subscriptions")
        let trial = Self.products([[Self.bought("trial14")]], at: Self.day(4))
        #expect(trial.steps.first?.url == nil)
    }

    /// The steps of a customer, and the most urgent one. A subscribed customer is not asked to come back.
    private static let choices: [(actions: [CustomerStep.Action], isEntitled: Bool, step: CustomerStep.Action?)] = [
        ([], false, nil), ([.buy], true, nil), ([.resubscribe], false, .resubscribe),
        ([.resubscribe, .offerWinBack], false, .offerWinBack), ([.resubscribe, .offerWinBack], true, nil),
        ([.resubscribe, .consentToPrice], true, .consentToPrice),
        ([.consentToPrice, .fixBilling, .resubscribe], true, .fixBilling), ([.fixBilling], false, .fixBilling),
        ([.resubscribe, .offerDowngrade], true, .offerDowngrade),
    ]

    @Test(arguments: 0..<9) func `are in order, and the first counts`(index: Int) {
        let (actions, isEntitled, step) = Self.choices[index]
        #expect(CustomerStep.Action.mostUrgent(of: actions, isEntitled: isEntitled) == step)
        #expect(CustomerStep.Action.mostUrgent(of: actions.reversed(), isEntitled: isEntitled) == step)
    }
}
