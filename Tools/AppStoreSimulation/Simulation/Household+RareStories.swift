import AppStoreModel
import Primitives

/// Stories between the charge for the next period and the start of that period.
extension Household {
    mutating func changePlanAfterCharge(_ story: Story) {
        let targets = story.targets(from: store[subscription].newest.product, in: store)
        let target = generator.element(of: targets)
        guard let changed = momentAfterCharge() else { return }
        store.changePlan(subscription, to: target.id, marksReplaced: generator.chance(percent: 50), at: changed)
    }

    mutating func cancelAfterCharge() {
        if let cancelled = momentAfterCharge() { store.cancel(subscription, at: cancelled) }
    }

    mutating func refundBeforeStart() {
        guard let refunded = momentAfterCharge() else { return }
        let charged = store[subscription].newest
        guard charged.isPaid else { return }
        store.refund(subscription, transactionId: charged.transactionId, at: refunded)
        advance(to: charged.purchaseDate)
    }
}

/// Rare stories.
extension Household {
    mutating func cancelInGrace() {
        reachPaidPeriod()
        guard let broken = moment() else { return }
        store.breakBilling(of: head, at: broken)
        advance(to: store.end(of: subscription))
        guard store[subscription].phase != .active else { return }
        store.cancel(subscription, at: momentAfter(days: 1...2))
    }

    mutating func refundAgain() {
        reachPaidPeriod()
        let charge = store[subscription].newest
        guard charge.isPaid, let moments = moments(3) else { return }
        store.refund(subscription, at: moments[0])
        store.reverseRefund(subscription, transactionId: charge.transactionId, at: moments[1])
        store.refund(subscription, reason: .appIssue, at: moments[2])
    }

    mutating func revokeByStatus() {
        guard let revoked = moment() else { return }
        store.revokeByStatus(subscription, at: revoked)
    }

    mutating func shareAgain() {
        guard let moments = moments(3) else { return }
        hasShared = true
        let member = store.share(subscription, with: relative, at: moments[0])
        store.stopSharing(member, at: moments[1])
        store.shareAgain(subscription, with: member, at: moments[2])
    }

    mutating func buyAgain() {
        guard let moments = moments(3) else { return }
        let purchase = store.buyOnce("unlock", by: head, at: moments[0])
        store.refund(purchase, at: moments[1])
        store.buyAgain(purchase, at: moments[2])
    }

    mutating func renewWithAnotherToken() {
        guard let chosen = moment() else { return }
        let token = generator.uuid()
        store.renew(subscription, withAppAccountToken: token, at: chosen)
    }

    mutating func returnWithAnotherToken() {
        cancel(andReturn: false)
        guard !store[subscription].autoRenews else { return }
        let productId = store[subscription].newest.product.id
        advance(to: store.end(of: subscription))
        let returned = momentAfter(days: 1...20)
        guard returned < horizon, !store.withdrawnProductIds.contains(productId) else { return }
        let token = generator.uuid()
        store.signIn(token, by: head, at: returned)
        store.buy(productId, by: head, at: returned)
    }

    mutating func restore() {
        if let restored = moment() { store.restore(subscription, at: restored) }
    }

    mutating func reinstall() {
        if let reinstalled = moment() { store.reinstall(with: subscription, at: reinstalled) }
    }

    mutating func hearUnknownVocabulary() {
        guard let moments = moments(2) else { return }
        store.sendUnknownType(of: subscription, at: moments[0])
        store.sendUnknownStatus(of: subscription, at: moments[1])
    }
}
