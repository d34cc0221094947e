package import AppStoreModel

/// The products of a simulated app.
package struct StoreCatalog: Sendable {
    package let products: [StoreProduct]

    package init(_ products: [StoreProduct]) {
        self.products = products
    }

    /// The product with an id. Traps when the id is unknown.
    package subscript(productId: String) -> StoreProduct {
        guard let product = products.first(where: { $0.id == productId }) else {
            preconditionFailure("the catalogue has no product \(productId)")
        }
        return product
    }

    package func products(inGroup group: String) -> [StoreProduct] {
        products.filter { $0.group == group }
    }
}

package struct StoreProduct: Sendable {
    package let id: String
    package let type: ProductType
    /// Nil unless auto-renewable, as is `period`.
    package let group: String?
    /// The level of service in the group, 1 the highest; 1 for other types.
    package let level: Int
    package let period: SubscriptionPeriod?
    /// Milliunits in the storefront of the United States.
    package let price: Int64
    package let familyShareable: Bool
    package let offers: [StoreOffer]
    /// The days for which a trial unlocks the app; nil for everything else. The App Store knows nothing of it.
    package let trialDays: Int64?

    package init(
        _ id: String, group: String, level: Int, period: SubscriptionPeriod, price: Int64,
        familyShareable: Bool = false, offers: [StoreOffer] = []
    ) {
        self.id = id
        type = .autoRenewable
        self.group = group
        self.level = level
        self.period = period
        self.price = price
        self.familyShareable = familyShareable
        self.offers = offers
        trialDays = nil
    }

    /// Creates a product of any type but auto-renewable.
    package init(_ id: String, type: ProductType, price: Int64, trialDays: Int64? = nil) {
        precondition(type != .autoRenewable, "an auto-renewable has a group and a period")
        self.id = id
        self.type = type
        group = nil
        level = 1
        period = nil
        self.price = price
        familyShareable = false
        offers = []
        self.trialDays = trialDays
    }

    package var introductoryOffer: StoreOffer? { offers.first { $0.type == .introductory } }

    package func offers(_ type: OfferType) -> [StoreOffer] { offers.filter { $0.type == type } }
}

package struct StoreOffer: Hashable, Sendable {
    /// Nil for introductory offers, which have no identifier.
    package let id: String?
    package let type: OfferType
    package let payment: OfferDiscountType
    /// One billing period of the offer; for pay as you go, the product's.
    package let period: SubscriptionPeriod
    package let periods: Int
    /// Milliunits per charge in the storefront of the United States.
    package let price: Int64

    package init(
        _ type: OfferType, id: String? = nil, _ payment: OfferDiscountType, _ period: SubscriptionPeriod,
        periods: Int = 1, price: Int64 = 0
    ) {
        precondition((type == .introductory) == (id == nil), "all offers but introductory ones have an id")
        precondition((payment == .freeTrial) == (price == 0), "a free trial and nothing else costs nothing")
        precondition(payment == .payAsYouGo || periods == 1, "only pay as you go takes several charges")
        self.id = id
        self.type = type
        self.payment = payment
        self.period = period
        self.periods = periods
        self.price = price
    }

    /// The length of the whole offer, as in Apple's `offerPeriod`.
    package var wholePeriod: SubscriptionPeriod { period.times(periods) }
}

/// The offer used by a purchase.
package enum OfferChoice: Hashable, Sendable {
    case introductory
    case named(String)
}

extension StoreProduct {
    /// Returns the chosen offer. Traps when the product does not have it.
    func offer(_ choice: OfferChoice) -> StoreOffer {
        let found: StoreOffer? =
            switch choice {
            case .introductory: introductoryOffer
            case .named(let id): offers.first { $0.id == id }
            }
        guard let found else { preconditionFailure("\(self.id) has no offer \(choice)") }
        return found
    }
}
