package import AppStoreModel
package import Primitives

/// A product of a catalogue.
package struct CatalogProduct: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case autoRenewable, nonConsumable, consumable, nonRenewing

        /// Apple's name of the type.
        package var type: ProductType {
            switch self {
            case .autoRenewable: .autoRenewable
            case .nonConsumable: .nonConsumable
            case .consumable: .consumable
            case .nonRenewing: .nonRenewing
            }
        }
    }

    /// A free trial of an app without subscriptions: a non-consumable with the price 0 that unlocks another product for
    /// some time (App Review Guidelines 3.1.1).
    package struct Trial: Hashable, Sendable {
        package var unlocks: Symbol
        package var duration: CalendarPeriod

        package init(unlocks: Symbol, duration: CalendarPeriod) {
            (self.unlocks, self.duration) = (unlocks, duration)
        }
    }

    package var id: Symbol
    package var kind: Kind
    /// The subscription group; only of auto-renewable subscriptions, which have one.
    package var group: Symbol?
    /// The level of service in the group: 1 is the highest. Products of one level are crossgrades.
    package var level: Int?
    /// The period of an auto-renewable or a non-renewing subscription.
    package var duration: CalendarPeriod?
    package var isFamilyShareable = false
    package var entitlements: [Symbol] = []
    /// The instant from which this description is in effect; nil for always.
    package var effectiveFrom: Instant?
    package var offers: [CatalogOffer] = []
    package var trial: Trial?

    package init(id: Symbol, kind: Kind) {
        (self.id, self.kind) = (id, kind)
    }

    package var introductoryOffer: CatalogOffer? { offers.first { $0.kind == .introductory } }
}

/// An offer of a product: the terms of some first periods.
package struct CatalogOffer: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable { case introductory, promotional, offerCode, winBack }
    /// Apple's offerDiscountType, as StoreKit spells it.
    package enum Payment: String, Sendable, CaseIterable { case freeTrial, payAsYouGo, payUpFront }

    /// The offer identifier; nil for an introductory offer.
    package var id: Symbol?
    package var kind: Kind
    package var payment: Payment
    package var period: CalendarPeriod
    /// The number of periods.
    package var periods: Int
    /// The price of one charge; nil if unknown, and for a free trial.
    package var priceMilliunits: Int64?

    package init(id: Symbol? = nil, kind: Kind, payment: Payment, period: CalendarPeriod, periods: Int) {
        (self.id, self.kind, self.payment) = (id, kind, payment)
        (self.period, self.periods) = (period, periods)
    }
}
