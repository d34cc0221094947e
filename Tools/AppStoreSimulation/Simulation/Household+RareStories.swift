import AppStoreModel
import Primitives

/// Stories between the charge for the next period and the start of that period.
extension Household {
    mutating func changePlanAfterCharge(_ story: Story) {
        let targets = story.targets(from: store[subscription].newest.product, in: store)
        let target = generator.element(of: targets)
        guard let changed = momentAfterCharge() else { return }
        let marksReplaced = generator.chance(percent: 50)
        act(at: changed) { $0.changePlan($1, to: target.id, marksReplaced: marksReplaced, at: $2) }
    }

    mutating func cancelAfterCharge() {
        if let cancelled = momentAfterCharge() { act(at: cancelled) { $0.cancel($1, at: $2) } }
    }

    mutating func refundBeforeStart() {
        guard let refunded = momentAfterCharge() else { return }
        let charged = store[subscription].newest
        guard charged.isPaid else { return }
        act(at: refunded) { $0.refund($1, transactionId: charged.transactionId, at: $2) }
        advance(to: charged.purchaseDate)
    }
}

/// Rare stories.
extension Household {
    mutating func cancelInGrace() {
        reachPaidPeriod()
        guard let broken = moment() else { return }
        act(at: broken) { [head] store, _, broken in store.breakBilling(of: head, at: broken) }
        advance(to: store.end(of: subscription))
        guard store[subscription].phase != .active else { return }
        act(at: momentAfter(days: 1...2)) { $0.cancel($1, at: $2) }
    }

    mutating func refundAgain() {
        reachPaidPeriod()
        let charge = store[subscription].newest
        guard charge.isPaid, let moments = moments(3) else { return }
        act(at: moments[0]) { $0.refund($1, at: $2) }
        act(at: moments[1]) { $0.reverseRefund($1, transactionId: charge.transactionId, at: $2) }
        act(at: moments[2]) { $0.refund($1, reason: .appIssue, at: $2) }
    }

    /// Refunds the period before the running one.
    mutating func refundEarlier() {
        reachPaidPeriod()
        let earlier = store[subscription].newest
        guard earlier.isPaid else { return }
        advance(to: store.end(of: subscription))
        let current = store[subscription]
        guard current.phase == .active, current.newest.transactionId != earlier.transactionId,
            let refunded = moment()
        else { return }
        act(at: refunded) { $0.refund($1, transactionId: earlier.transactionId, reason: .appIssue, at: $2) }
    }

    mutating func crossgradeWithAnotherToken() {
        let current = store[subscription].newest.product
        let targets = Story.crossgradeWithAnotherToken.targets(from: current, in: store)
        let target = generator.element(of: targets)
        guard let changed = moment() else { return }
        let token = generator.uuid()
        act(at: changed) { [head] store, id, changed in
            store.signIn(token, by: head, at: changed)
            store.changePlan(id, to: target.id, at: changed)
        }
    }

    mutating func revokeByStatus() {
        guard let revoked = moment() else { return }
        act(at: revoked) { $0.revokeByStatus($1, at: $2) }
    }

    mutating func shareAgain() {
        guard let moments = moments(3) else { return }
        hasShared = true
        let member = act(at: moments[0]) { [relative] in $0.share($1, with: relative, at: $2) }
        act(at: moments[1]) { store, _, ended in store.stopSharing(member, at: ended) }
        act(at: moments[2]) { $0.shareAgain($1, with: member, at: $2) }
    }

    mutating func buyAgain() {
        guard let moments = moments(3) else { return }
        let purchase = act(at: moments[0]) { [head] store, _, bought in
            store.buyOnce("unlock", by: head, at: bought)
        }
        act(at: moments[1]) { store, _, refunded in store.refund(purchase, at: refunded) }
        act(at: moments[2]) { store, _, bought in store.buyAgain(purchase, at: bought) }
    }

    mutating func renewWithAnotherToken() {
        guard let chosen = moment() else { return }
        let token = generator.uuid()
        act(at: chosen) { $0.renew($1, withAppAccountToken: token, at: $2) }
    }

    mutating func returnWithAnotherToken() {
        cancel(andReturn: false)
        guard !store[subscription].autoRenews else { return }
        let productId = store[subscription].newest.product.id
        advance(to: store.end(of: subscription))
        let returned = momentAfter(days: 1...20)
        guard returned < horizon, !store.withdrawnProductIds.contains(productId) else { return }
        let token = generator.uuid()
        act(at: returned) { [head] store, _, returned in
            store.signIn(token, by: head, at: returned)
            store.buy(productId, by: head, at: returned)
        }
    }

    mutating func restore() {
        if let restored = moment() { act(at: restored) { $0.restore($1, at: $2) } }
    }

    mutating func reinstall() {
        if let reinstalled = moment() { act(at: reinstalled) { $0.reinstall(with: $1, at: $2) } }
    }

    mutating func hearUnknownVocabulary() {
        guard let moments = moments(2) else { return }
        act(at: moments[0]) { $0.sendUnknownType(of: $1, at: $2) }
        act(at: moments[1]) { $0.sendUnknownStatus(of: $1, at: $2) }
    }
}
