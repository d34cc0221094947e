import AppStoreModel

/// A course of events within a period of a customer's subscription.
enum Story: CaseIterable {
    case nothing, cancel, cancelAndReturn
    case upgrade, crossgrade, crossgradeWithAnotherToken, downgrade, revertDowngrade, upgradeToShorterPlan
    case upgradeAfterCharge, downgradeAfterCharge, cancelAfterCharge, refundBeforeStart
    case recoverInGrace, recoverInRetry, failForGood, failTrial, cancelInGrace
    case graceWithoutRetryFlag, graceWithoutDate, failLate
    case refund, refundAndReverse, refundAgain, refundEarlier, refundPart, refundOfUnknownKind
    case declinedRefund, revokeByStatus
    case share, shareBriefly, shareAgain, acceptPrice, ignorePrice, loseProduct, extend, redeem
    case buyOnce, buyAgain, migrate, token, renewWithAnotherToken, returnWithAnotherToken
    case restore, reinstall, unknownVocabulary
    /// The App Store never notifies the app: everything is known from devices. A first story only.
    case postFromDevice

    /// The relative frequency in `drawn`.
    private var weight: Int {
        switch self {
        case .nothing: 40
        case .cancel: 8
        case .cancelAndReturn, .redeem, .buyOnce, .upgrade, .crossgrade, .downgrade: 4
        case .revertDowngrade, .recoverInGrace, .recoverInRetry, .failForGood, .failTrial: 3
        case .upgradeAfterCharge: 3
        case .refund, .refundAndReverse, .refundPart, .share, .shareBriefly, .acceptPrice, .extend, .token: 2
        case .downgradeAfterCharge, .cancelAfterCharge, .restore, .reinstall, .failLate: 2
        case .declinedRefund, .ignorePrice, .loseProduct, .migrate: 1
        case .upgradeToShorterPlan, .refundBeforeStart, .cancelInGrace, .graceWithoutRetryFlag, .graceWithoutDate: 1
        case .refundAgain, .refundEarlier, .refundOfUnknownKind, .revokeByStatus, .shareAgain, .buyAgain: 1
        case .crossgradeWithAnotherToken: 1
        case .renewWithAnotherToken, .returnWithAnotherToken, .unknownVocabulary: 1
        case .postFromDevice: 0
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

    /// Whether the story requires the end of a period.
    var needsPeriodEnd: Bool {
        switch self {
        case .cancel, .recoverInGrace, .recoverInRetry, .failForGood, .ignorePrice, .loseProduct: true
        case .cancelInGrace, .graceWithoutRetryFlag, .graceWithoutDate, .failLate, .postFromDevice: true
        case .renewWithAnotherToken, .returnWithAnotherToken, .refundEarlier: true
        default: actsAfterCharge
        }
    }

    /// Whether the story happens in the hours between the charge for the next period and the start of that period.
    var actsAfterCharge: Bool {
        switch self {
        case .upgradeAfterCharge, .downgradeAfterCharge, .cancelAfterCharge, .refundBeforeStart: true
        default: false
        }
    }

    /// Whether the story can happen to an app without notifications: none of its effects requires one to be known.
    var isSeenByDevices: Bool {
        switch self {
        case .nothing, .cancel, .upgrade, .refund, .buyOnce, .restore, .reinstall, .postFromDevice: true
        default: false
        }
    }

    /// Whether the story can happen to a subscriber of `product`.
    func suits(_ product: StoreProduct, in store: AppStore) -> Bool {
        switch self {
        case .upgrade, .crossgrade, .downgrade, .revertDowngrade, .migrate: !targets(from: product, in: store).isEmpty
        case .upgradeToShorterPlan, .upgradeAfterCharge, .downgradeAfterCharge, .crossgradeWithAnotherToken:
            !targets(from: product, in: store).isEmpty
        case .failTrial: product.introductoryOffer?.payment == .freeTrial
        case .share, .shareBriefly, .shareAgain: product.familyShareable
        case .redeem: !redeemableOffers(of: product).isEmpty
        default: true
        }
    }

    /// The products to which the story may change the subscription.
    func targets(from product: StoreProduct, in store: AppStore) -> [StoreProduct] {
        let others = store.configuration.catalog.products
            .filter { $0.group == product.group && $0.id != product.id && !store.withdrawnProductIds.contains($0.id) }
        return switch self {
        case .upgrade, .upgradeAfterCharge: others.filter { $0.level < product.level }
        case .upgradeToShorterPlan:
            others.filter { $0.level < product.level && product.period?.unit == .year && $0.period?.unit != .year }
        case .crossgrade: others.filter { $0.level == product.level }
        case .crossgradeWithAnotherToken: others.filter { $0.level == product.level && $0.period == product.period }
        case .downgrade, .revertDowngrade: others.filter { $0.level > product.level }
        case .downgradeAfterCharge:
            others.filter { $0.level > product.level || $0.level == product.level && $0.period != product.period }
        case .migrate: others
        default: []
        }
    }

    func redeemableOffers(of product: StoreProduct) -> [StoreOffer] {
        product.offers(.promotional) + product.offers(.offerCode)
    }
}
