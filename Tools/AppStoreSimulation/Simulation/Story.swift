import AppStoreModel

/// What a customer may come to do within a period.
enum Story: CaseIterable {
    case nothing, cancel, cancelAndReturn
    case upgrade, crossgrade, downgrade, revertDowngrade
    case recoverInGrace, recoverInRetry, failForGood, failTrial
    case refund, refundAndReverse, refundPart, declinedRefund
    case share, shareBriefly, acceptPrice, ignorePrice, loseProduct, extend, redeem, buyOnce, migrate, token

    /// How often in a hundred and some periods.
    private var weight: Int {
        switch self {
        case .nothing: 40
        case .cancel: 8
        case .cancelAndReturn, .redeem, .buyOnce, .upgrade, .crossgrade, .downgrade: 4
        case .revertDowngrade, .recoverInGrace, .recoverInRetry, .failForGood, .failTrial: 3
        case .refund, .refundAndReverse, .refundPart, .share, .shareBriefly, .acceptPrice, .extend, .token: 2
        case .declinedRefund, .ignorePrice, .loseProduct, .migrate: 1
        }
    }

    static func drawn(_ generator: inout SeededGenerator) -> Story {
        var number = generator.below(allCases.reduce(0) { $0 + $1.weight })
        for story in allCases {
            if number < story.weight { return story }
            number -= story.weight
        }
        return .nothing
    }

    /// Whether the story needs the end of a period to come to its own.
    var needsPeriodEnd: Bool {
        switch self {
        case .cancel, .recoverInGrace, .recoverInRetry, .failForGood, .ignorePrice, .loseProduct: true
        default: false
        }
    }

    /// Whether it can happen to a subscriber of the product.
    func suits(_ product: StoreProduct, in store: AppStore) -> Bool {
        switch self {
        case .upgrade, .crossgrade, .downgrade, .revertDowngrade, .migrate:
            !targets(from: product, in: store).isEmpty
        case .failTrial: product.introductoryOffer?.payment == .freeTrial
        case .share, .shareBriefly: product.familyShareable
        case .redeem: !redeemableOffers(of: product).isEmpty
        default: true
        }
    }

    /// The products it may lead to.
    func targets(from product: StoreProduct, in store: AppStore) -> [StoreProduct] {
        let others = store.configuration.catalog.products
            .filter { $0.group == product.group && $0.id != product.id && !store.withdrawnProductIds.contains($0.id) }
        return switch self {
        case .upgrade: others.filter { $0.level < product.level }
        case .crossgrade: others.filter { $0.level == product.level }
        case .downgrade, .revertDowngrade: others.filter { $0.level > product.level }
        case .migrate: others
        default: []
        }
    }

    func redeemableOffers(of product: StoreProduct) -> [StoreOffer] {
        product.offers(.promotional) + product.offers(.offerCode)
    }
}
