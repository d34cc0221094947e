import AppStoreModel
import Primitives

extension Household {
    /// Whether the story can happen to the subscription in its current state. The subscription must be active.
    func isPossible(_ story: Story) -> Bool {
        let current = store[subscription]
        let product = current.newest.product
        guard story.suits(product, in: store), !store.isRenewed(subscription) else { return false }
        guard store.configuration.notifies || story.isSeenByDevices else { return false }
        let renewsTheSame = current.autoRenews && current.pendingProductId(at: store.now) == nil
        switch story {
        case .upgrade, .crossgrade, .crossgradeWithAnotherToken, .downgrade, .revertDowngrade, .migrate, .extend,
            .upgradeToShorterPlan:
            return current.autoRenews && current.members.isEmpty
        case .upgradeAfterCharge, .downgradeAfterCharge, .cancelAfterCharge, .refundBeforeStart:
            return renewsTheSame && current.members.isEmpty && !store.withdrawnProductIds.contains(product.id)
        case .failTrial:
            return current.autoRenews && current.newest.offer?.payment == .freeTrial
        case .share, .shareBriefly, .shareAgain:
            return current.autoRenews && !hasShared
        case .acceptPrice, .ignorePrice, .redeem, .refundEarlier:
            return renewsTheSame
        case .cancel, .cancelAndReturn, .recoverInGrace, .recoverInRetry, .failForGood, .loseProduct, .cancelInGrace,
            .graceWithoutRetryFlag, .graceWithoutDate, .failLate, .renewWithAnotherToken, .returnWithAnotherToken:
            return current.autoRenews
        case .nothing, .refund, .refundAndReverse, .refundAgain, .refundPart, .refundOfUnknownKind, .declinedRefund,
            .revokeByStatus, .buyOnce, .buyAgain, .token, .restore, .reinstall, .unknownVocabulary, .postFromDevice:
            return true
        }
    }

    mutating func tell(_ story: Story) {
        switch story {
        case .nothing, .postFromDevice: break
        case .cancel: cancel(andReturn: false)
        case .cancelAndReturn: cancel(andReturn: true)
        case .upgrade, .crossgrade, .downgrade, .upgradeToShorterPlan: changePlan(story)
        case .upgradeAfterCharge, .downgradeAfterCharge: changePlanAfterCharge(story)
        case .cancelAfterCharge: cancelAfterCharge()
        case .refundBeforeStart: refundBeforeStart()
        case .revertDowngrade: changePlan(story, andBack: true)
        case .crossgradeWithAnotherToken: crossgradeWithAnotherToken()
        case .recoverInGrace: fail(untilRetry: false)
        case .recoverInRetry: fail(untilRetry: true)
        case .cancelInGrace: cancelInGrace()
        case .graceWithoutRetryFlag: fail(grace: .withoutRetryFlag, untilRetry: generator.chance(percent: 50))
        case .graceWithoutDate: fail(grace: .withoutDate, untilRetry: generator.chance(percent: 50))
        case .failLate:
            fail(signedAfterHours: generator.number(in: 2...20), untilRetry: generator.chance(percent: 50))
        case .failForGood, .failTrial: failForGood()
        case .refund: refund(.full, andReverse: false)
        case .refundAndReverse: refund(.full, andReverse: true)
        case .refundAgain: refundAgain()
        case .refundEarlier: refundEarlier()
        case .refundOfUnknownKind: refund(.unknown, andReverse: false)
        case .revokeByStatus: revokeByStatus()
        case .refundPart: refund(.prorated(40_000), andReverse: false)
        case .declinedRefund: askForRefundInVain()
        case .share: share(andStop: false)
        case .shareBriefly: share(andStop: true)
        case .shareAgain: shareAgain()
        case .acceptPrice: raisePrice(andAccept: true)
        case .ignorePrice: raisePrice(andAccept: false)
        case .loseProduct: loseProduct()
        case .extend: extend()
        case .redeem: redeem()
        case .buyOnce: buyOnce()
        case .buyAgain: buyAgain()
        case .migrate: migrate()
        case .token: changeToken()
        case .renewWithAnotherToken: renewWithAnotherToken()
        case .returnWithAnotherToken: returnWithAnotherToken()
        case .restore: restore()
        case .reinstall: reinstall()
        case .unknownVocabulary: hearUnknownVocabulary()
        }
    }
}

extension Household {
    mutating func cancel(andReturn returns: Bool) {
        guard let cancelled = moment() else { return }
        act(at: cancelled) { $0.cancel($1, at: $2) }
        if returns, let returned = moment() { act(at: returned) { $0.enableAutoRenewal($1, at: $2) } }
    }

    private mutating func changePlan(_ story: Story, andBack returns: Bool = false) {
        let current = store[subscription].newest.product
        let target = generator.element(of: story.targets(from: current, in: store))
        guard let changed = moment() else { return }
        let marksReplaced = generator.chance(percent: 50)
        act(at: changed) { $0.changePlan($1, to: target.id, marksReplaced: marksReplaced, at: $2) }
        if returns, let returned = moment() { act(at: returned) { $0.changePlan($1, to: current.id, at: $2) } }
    }

    /// Fails a renewal after a paid period: by default, only these get grace.
    private mutating func fail(
        grace: GraceSignature = .documented, signedAfterHours hours: Int64 = 0, untilRetry: Bool
    ) {
        reachPaidPeriod()
        guard let broken = moment() else { return }
        act(at: broken) { [head] store, _, broken in
            store.breakBilling(of: head, grace: grace, signedAfterHours: hours, at: broken)
        }
        advance(to: store.end(of: subscription))
        if untilRetry, case .gracePeriod(let graceEnd) = store[subscription].phase { advance(to: graceEnd) }
        let fixed = momentAfter(days: untilRetry ? 1...20 : 1...2)
        act(at: fixed) { [head] store, _, fixed in store.fixBilling(of: head, at: fixed) }
    }

    private mutating func failForGood() {
        guard let broken = moment() else { return }
        act(at: broken) { [head] store, _, broken in store.breakBilling(of: head, at: broken) }
        advance(
            to: store.end(of: subscription).advanced(byMilliseconds: BillingRetry.days * Instant.millisecondsPerDay))
    }

    mutating func refund(_ extent: RefundExtent, andReverse reverses: Bool) {
        reachPaidPeriod()
        let charge = store[subscription].newest
        guard charge.isPaid, let refunded = moment() else { return }
        act(at: refunded) { $0.refund($1, extent, reason: .appIssue, at: $2) }
        // A purchase in the rest of the period would turn a revocation of unknown kind into a replacement.
        if extent == .unknown { advance(to: store.end(of: subscription)) }
        guard reverses else { return }
        let reversed = momentAfter(days: 1...40)
        act(at: reversed) { $0.reverseRefund($1, transactionId: charge.transactionId, at: $2) }
    }

    private mutating func askForRefundInVain() {
        guard let asked = moment() else { return }
        act(at: asked) { $0.requestRefund($1, .unintendedPurchase, at: $2) }
        if let declined = moment() { act(at: declined) { $0.declineRefund($1, at: $2) } }
    }

    private mutating func share(andStop stops: Bool) {
        guard let begun = moment() else { return }
        hasShared = true
        let member = act(at: begun) { [relative] in $0.share($1, with: relative, at: $2) }
        guard stops, let ended = moment() else { return }
        act(at: ended) { store, _, ended in store.stopSharing(member, at: ended) }
    }

    private mutating func raisePrice(andAccept accepts: Bool) {
        guard let raised = moment() else { return }
        let price = store[subscription].newest.product.price * 3 / 2
        act(at: raised) { $0.raisePrice(of: $1, to: price, at: $2) }
        if accepts, let accepted = moment() { act(at: accepted) { $0.acceptPrice(of: $1, at: $2) } }
    }

    private mutating func loseProduct() {
        guard let lost = moment() else { return }
        let productId = store[subscription].nextProduct.id
        act(at: lost) { store, _, lost in store.removeFromSale(productId, at: lost) }
    }

    private mutating func extend() {
        guard let extended = moment() else { return }
        let days = generator.number(in: 1...30)
        act(at: extended) { $0.extendRenewal(of: $1, byDays: days, at: $2) }
    }

    private mutating func redeem() {
        guard let redeemed = moment() else { return }
        let offers = Story.redeem.redeemableOffers(of: store[subscription].newest.product)
        guard let id = generator.element(of: offers).id else { return }
        act(at: redeemed) { $0.redeem(.named(id), on: $1, at: $2) }
    }

    private mutating func buyOnce() {
        guard let bought = moment() else { return }
        let products = store.configuration.catalog.products.filter { $0.type != .autoRenewable }
        let product = generator.element(of: products)
        let purchase = act(at: bought) { [head] store, _, bought in
            store.buyOnce(product.id, by: head, at: bought)
        }
        if generator.chance(percent: 20), let refunded = moment() {
            act(at: refunded) { store, _, refunded in store.refund(purchase, at: refunded) }
        }
    }

    private mutating func migrate() {
        let targets = Story.migrate.targets(from: store[subscription].newest.product, in: store)
        let target = generator.element(of: targets)
        guard let migrated = moment() else { return }
        subscription = act(at: migrated) { $0.migrate($1, to: target.id, at: $2) }
    }

    private mutating func changeToken() {
        guard let changed = moment() else { return }
        let token = generator.uuid()
        act(at: changed) { $0.setAppAccountToken(token, of: $1, at: $2) }
        if let launched = moment() { act(at: launched) { $0.launchApp(with: $1, at: $2) } }
    }

    mutating func reachPaidPeriod() {
        while store.now < horizon, store[subscription].phase == .active, !store[subscription].newest.isPaid {
            advance(to: store.end(of: subscription))
        }
    }
}
