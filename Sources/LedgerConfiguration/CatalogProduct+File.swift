import LedgerModel
import Primitives

extension CatalogProduct {
    /// The periods that Apple offers for auto-renewable subscriptions.
    /// https://developer.apple.com/help/app-store-connect/reference/in-app-purchases-and-subscriptions/auto-renewable-subscription-durations
    private static let subscriptionPeriods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    /// - Parameters:
    ///   - groups: the ids of the catalogue's groups.
    ///   - ids: the ids of the products read before, with the references to products.
    init(_ value: YAMLValue, groups: Set<Symbol>, _ ids: inout UniqueIDs) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        let id = try members.require("id")
        try ids.add(id)
        self.init(id: try id.symbol(), kind: try members.require("type").one(of: Kind.self))
        switch kind {
        case .autoRenewable: try readSubscription(&members, groups)
        // Without a duration, the end of a purchase is unknown.
        case .nonRenewing:
            duration = try members.take("duration").map { value throws(ConfigurationError) in try value.period() }
        case .nonConsumable: try readTrial(&members, &ids)
        case .consumable: break
        }
        if kind != .consumable, let flag = members.take("familyShareable") { isFamilyShareable = try flag.flag() }
        if let names = members.take("entitlements") { entitlements = try names.symbols() }
        if let date = members.take("effectiveFrom") { effectiveFrom = try date.instant() }
        try members.finish()
    }

    private mutating func readSubscription(
        _ members: inout YAMLMapping, _ groups: Set<Symbol>
    ) throws(ConfigurationError) {
        let group = try members.require("group")
        self.group = try group.symbol()
        guard groups.contains(try group.symbol()) else { throw group.unexpected("the id of a group of this file") }
        if let level = members.take("level") { self.level = try level.integer(in: 1...100) }
        let duration = try members.require("duration")
        guard Self.subscriptionPeriods.contains(try duration.text()) else {
            throw duration.unexpected(oneOf: Self.subscriptionPeriods)
        }
        self.duration = try duration.period()
        var ids = UniqueIDs()
        for element in try members.take("offers")?.elements() ?? [] {
            let offer = try CatalogOffer(element, of: self, &ids)
            guard offer.kind != .introductory || introductoryOffer == nil else {
                throw element.unexpected("one introductory offer")
            }
            offers.append(offer)
        }
    }

    private mutating func readTrial(_ members: inout YAMLMapping, _ ids: inout UniqueIDs) throws(ConfigurationError) {
        guard let value = members.take("trial") else { return }
        var trial = try YAMLMapping(value)
        let unlocks = try trial.require("unlocks")
        guard try unlocks.symbol() != id else { throw unlocks.unexpected("another product") }
        ids.refer(to: unlocks)
        self.trial = Trial(unlocks: try unlocks.symbol(), duration: try trial.require("duration").period())
        try trial.finish()
    }
}

extension CatalogOffer {
    /// - Parameters:
    ///   - product: the product with its duration.
    ///   - ids: the ids of the offers of the product read before.
    fileprivate init(
        _ value: YAMLValue, of product: CatalogProduct, _ ids: inout UniqueIDs
    ) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        let kind = try members.require("kind")
        let period = try members.require("period")
        self.init(
            kind: try kind.one(of: Kind.self), payment: try members.require("payment").one(of: Payment.self),
            period: try period.period(), periods: try members.take("periods")?.integer(in: 1...1_000) ?? 1)
        if self.kind != .introductory {
            let id = try members.require("id")
            try ids.add(id)
            self.id = try id.symbol()
        } else if let id = members.take("id") {
            throw id.unexpected("no id, which an introductory offer does not have")
        }
        // Apple charges each period of such an offer when the subscription renews.
        guard payment != .payAsYouGo || self.period == product.duration else {
            throw period.unexpected("the duration of the product, \(product.duration?.description ?? "none")")
        }
        if payment != .freeTrial, let price = members.take("priceMilliunits") {
            priceMilliunits = Int64(try price.integer(in: 0...1_000_000_000_000))
        }
        try members.finish()
    }
}
