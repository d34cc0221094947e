package import AppStoreModel
package import Primitives

package enum RefundExtent: Hashable, Sendable {
    case full
    /// So many milli-percent of the price: 1 ..< 100000.
    case prorated(Int64)
}

extension AppStore {
    /// Refunds a charge, the running one unless another is named: REFUND. A refund of the running or last period
    /// revokes it, ends sharing, and turns auto-renewal off.
    package mutating func refund(
        _ id: SubscriptionID, transactionId: String? = nil, _ extent: RefundExtent = .full,
        reason: RevocationReason = .other, at instant: Instant
    ) {
        advance(to: instant)
        let running = self[id].running(at: now)
        let index = transactionId.map { chargeIndex($0, of: id) } ?? running
        let charge = self[id].charges[index]
        precondition(charge.isPaid && charge.purchaseDate <= now, "only what was paid for and has begun is refunded")
        precondition(charge.revocation == nil && !charge.isUpgraded, "a charge is refunded once")
        self[id].charges[index].revocation = Revocation(at: now, extent, reason)
        writeService(of: id, .refunded(transaction: charge.transactionId, from: extent == .full ? nil : now))

        let didRenew = self[id].autoRenews
        if index == running { revoke(id, reason: reason) }
        let change = changed(extent == .full ? .refundFull : .refundProrated, id)
        notify(change, .refund, of: id, charge: index)
        if index == running, didRenew { notify(change, .didChangeRenewalStatus, .autoRenewDisabled, of: id) }
    }

    /// Takes a refund back: REFUND_REVERSED. The period is as it was; auto-renewal stays off.
    package mutating func reverseRefund(_ id: SubscriptionID, transactionId: String, at instant: Instant) {
        advance(to: instant)
        let index = chargeIndex(transactionId, of: id)
        precondition(self[id].charges[index].revocation != nil, "transaction \(transactionId) was not refunded")
        self[id].charges[index].revocation = nil
        writeService(of: id, .refundReversed(transaction: transactionId))
        if self[id].phase == .revoked, index == self[id].running(at: now) {
            let hasEnded = self[id].charges[index].expiresDate.map { $0 <= now } ?? false
            self[id].phase = hasEnded ? .expired : .active
            if hasEnded { self[id].expirationIntent = .cancelled }
            let end = self[id].end
            writeTruth(of: id) { state in
                state.status = hasEnded ? .expired : .active
                state.expiresAt = end
                state.revokedAt = nil
            }
        }
        notify(changed(.refundReversed, id), .refundReversed, of: id, charge: index)
    }

    /// Refunds a purchase of anything but an auto-renewable: REFUND.
    package mutating func refund(_ id: PurchaseID, reason: RevocationReason = .other, at instant: Instant) {
        advance(to: instant)
        precondition(purchases[id.index].charge.revocation == nil, "a purchase is refunded once")
        purchases[id.index].charge.revocation = Revocation(at: now, .full, reason)
        let revokedAt = now
        writeTruth(of: id) { state in
            state.status = .revoked
            state.revokedAt = revokedAt
        }
        let change = changed(.refundFull, purchases[id.index].origin, signedDate: nextSigningDate())
        notify(change, .refund, of: id)
    }

    /// Takes the refund of such a purchase back: REFUND_REVERSED.
    package mutating func reverseRefund(_ id: PurchaseID, at instant: Instant) {
        advance(to: instant)
        precondition(purchases[id.index].charge.revocation != nil, "the purchase was not refunded")
        purchases[id.index].charge.revocation = nil
        writeTruth(of: id) { state in
            state.status = .active
            state.revokedAt = nil
        }
        let change = changed(.refundReversed, purchases[id.index].origin, signedDate: nextSigningDate())
        notify(change, .refundReversed, of: id)
    }
}

extension AppStore {
    private func chargeIndex(_ transactionId: String, of id: SubscriptionID) -> Int {
        guard let index = self[id].charges.firstIndex(where: { $0.transactionId == transactionId }) else {
            preconditionFailure("the subscription has no transaction \(transactionId)")
        }
        return index
    }

    /// The running period is revoked. One that is charged already still begins.
    private mutating func revoke(_ id: SubscriptionID, reason: RevocationReason) {
        precondition(self[id].members.isEmpty || !isRenewed(id), "shared and charged ahead is not refunded")
        for member in self[id].members { revokeSharing(member, reason: reason) }
        self[id].members = []
        let end = self[id].charges[self[id].running(at: now)].expiresDate
        let revokedAt = now
        self[id].phase = .revoked
        self[id].autoRenews = false
        self[id].expirationIntent = nil
        self[id].nextOffer = nil
        self[id].priceIncrease = nil
        writeTruth(of: id) { state in
            state.status = .revoked
            state.expiresAt = end
            state.willRenew = false
            state.pendingProductId = nil
            state.revokedAt = revokedAt
        }
    }

    private mutating func writeTruth(of id: PurchaseID, _ change: (inout TruthState) -> Void) {
        guard purchases[id.index].charge.product.type == .nonConsumable else { return }
        log.truth.write(originalTransactionId(of: id), at: now, change)
    }
}

extension Revocation {
    fileprivate init(at date: Instant, _ extent: RefundExtent, _ reason: RevocationReason) {
        switch extent {
        case .full:
            self.init(date: date, reason: reason, type: .refundFull, percentage: 100_000)
        case .prorated(let percentage):
            precondition((1..<100_000).contains(percentage), "a prorated refund is part of the price")
            self.init(date: date, reason: reason, type: .refundProrated, percentage: percentage)
        }
    }
}
