import AppStoreModel

extension StoreCatalog {
    /// Two groups with every kind of plan change and offer, and one product of each other type.
    package static let standard = StoreCatalog([
        StoreProduct(
            "pro.max.monthly", group: proGroup, level: 1, period: month, price: 19_990, familyShareable: true,
            offers: [StoreOffer(.promotional, id: "max.taste", .freeTrial, SubscriptionPeriod(2, .week))]
        ),
        StoreProduct(
            "pro.monthly", group: proGroup, level: 2, period: month, price: 9_990,
            offers: [
                StoreOffer(.introductory, .freeTrial, SubscriptionPeriod(1, .week)),
                StoreOffer(.promotional, id: "loyal", .payAsYouGo, month, periods: 3, price: 4_990),
                StoreOffer(.offerCode, id: "SPRING", .payUpFront, SubscriptionPeriod(3, .month), price: 14_990),
                StoreOffer(.winBack, id: "comeback", .payAsYouGo, month, periods: 2, price: 990),
            ]
        ),
        StoreProduct(
            "pro.yearly", group: proGroup, level: 2, period: year, price: 99_990, familyShareable: true,
            offers: [
                StoreOffer(.introductory, .freeTrial, SubscriptionPeriod(2, .week)),
                StoreOffer(.winBack, id: "comeback.year", .payUpFront, year, price: 49_990),
            ]
        ),
        StoreProduct(
            "pro.basic.monthly", group: proGroup, level: 3, period: month, price: 4_990,
            offers: [
                StoreOffer(.introductory, .payAsYouGo, month, periods: 3, price: 990),
                StoreOffer(.promotional, id: "basic.free", .freeTrial, month),
            ]
        ),
        StoreProduct(
            "pro.basic.weekly", group: proGroup, level: 3, period: week, price: 1_990,
            offers: [StoreOffer(.introductory, .freeTrial, SubscriptionPeriod(3, .day))]
        ),
        StoreProduct(
            "news.monthly", group: newsGroup, level: 1, period: month, price: 3_990,
            offers: [StoreOffer(.introductory, .payUpFront, SubscriptionPeriod(2, .month), price: 1_990)]
        ),
        StoreProduct("news.sport.monthly", group: newsGroup, level: 1, period: month, price: 3_990),
        StoreProduct("news.quarterly", group: newsGroup, level: 1, period: SubscriptionPeriod(3, .month), price: 9_990),
        StoreProduct("unlock", type: .nonConsumable, price: 29_990),
        StoreProduct("trial14", type: .nonConsumable, price: 0, trialDays: 14),
        StoreProduct("coins.100", type: .consumable, price: 990),
        StoreProduct("season", type: .nonRenewing, price: 14_990),
    ])

    package static let proGroup = "21000001"
    package static let newsGroup = "21000002"
    private static let week = SubscriptionPeriod(1, .week)
    private static let month = SubscriptionPeriod(1, .month)
    private static let year = SubscriptionPeriod(1, .year)
}
