package import AppStoreModel
package import Primitives

package enum RefundExtent: Hashable, Sendable {
    case full
    /// The refunded part of the price in milli-percent, 1 ..< 100000.
    case prorated(Int64)
    /// A refund with a revocationReason and a revocationType that Apple does not document.
    case unknown
}

extension AppStore {
    /// Refunds a charge, by default the running one: REFUND. A refund of the running or last period revokes it, ends
    /// sharing and turns auto-renewal off. A refund of a period charged ahead turns auto-renewal off; that period is
    /// revoked when it begins.
    package mutating func refund(
        _ id: SubscriptionID, transactionId: String? = nil, _ extent: RefundExtent = .full,
        reason: RevocationReason = .other, at instant: Instant
    ) {
        advance(to: instant)
        let running = self[id].running(at: now)
        let index = transactionId.map { chargeIndex($0, of: id) } ?? running
        let charge = self[id].charges[index]
        precondition(charge.isPaid, "only what was paid for is refunded")
        precondition(charge.revocation == nil && !charge.isUpgraded, "a charge is refunded once")
        let hasBegun = charge.purchaseDate <= now
        let kind: ChangeKind =
            if !hasBegun {
                .refundBeforeStart
            } else if self[id].reversedRefunds.contains(charge.transactionId) {
                .refundAgain
            } else {
                index < running ? .refundOfEarlierPeriod : extent.kind
            }
        self[id].charges[index].revocation = Revocation(at: now, extent, reason)
        writeService(of: id, .refunded(transaction: charge.transactionId, from: extent == .full ? nil : now))

        log.truth.money.refund(charge.transactionId, extent.percentage, at: now)

        let didRenew = self[id].autoRenews
        if index == running { revoke(id, reason: reason) }
        if !hasBegun { stopRenewing(id) }
        // The renewal info describes the refunded period, and nothing more is signed about the running one.
        let change = changed(kind, id, settledDate: hasBegun ? nil : charge.purchaseDate)
        notify(change, .refund, of: id, charge: index)
        if index >= running, didRenew { notify(change, .didChangeRenewalStatus, .autoRenewDisabled, of: id) }
    }

    /// Reverses a refund: REFUND_REVERSED. The period is restored; auto-renewal stays off.
    package mutating func reverseRefund(_ id: SubscriptionID, transactionId: String, at instant: Instant) {
        advance(to: instant)
        let index = chargeIndex(transactionId, of: id)
        precondition(self[id].charges[index].revocation != nil, "transaction \(transactionId) was not refunded")
        self[id].charges[index].revocation = nil
        self[id].reversedRefunds.insert(transactionId)
        writeService(of: id, .refundReversed(transaction: transactionId))
        log.truth.money.reverseRefund(transactionId, at: now)
        if self[id].phase == .revoked, index == self[id].running(at: now) {
            let hasEnded = self[id].charges[index].expiresDate.map { $0 <= now } ?? false
            self[id].phase = hasEnded ? .expired : .active
            if hasEnded { self[id].expirationIntent = .cancelled }
        }
        notify(changed(.refundReversed, id), .refundReversed, of: id, charge: index)
    }

    /// Revokes the running period by status 5 alone, from the signing date on: DID_CHANGE_RENEWAL_STATUS with
    /// AUTO_RENEW_DISABLED, whose transaction has no revocation.
    package mutating func revokeByStatus(_ id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].phase == .active && !isRenewed(id), "what is active and not yet renewed is revoked")
        let paid = self[id].newest.transactionId
        writeService(of: id, .refunded(transaction: paid, from: now))
        revoke(id, reason: .other)
        let change = changed(.revocationByStatus, id)
        self[id].statusRevokedAt = change.signedDate
        writeTruth(of: id)
        notify(change, .didChangeRenewalStatus, .autoRenewDisabled, of: id)
    }

    /// Refunds a purchase of anything but an auto-renewable: REFUND.
    package mutating func refund(_ id: PurchaseID, reason: RevocationReason = .other, at instant: Instant) {
        advance(to: instant)
        precondition(purchases[id.index].charge.revocation == nil, "a purchase is refunded once")
        purchases[id.index].charge.revocation = Revocation(at: now, .full, reason)
        notify(changed(.refundFull, id), .refund, of: id)
    }

    /// Reverses the refund of such a purchase: REFUND_REVERSED.
    package mutating func reverseRefund(_ id: PurchaseID, at instant: Instant) {
        advance(to: instant)
        precondition(purchases[id.index].charge.revocation != nil, "the purchase was not refunded")
        purchases[id.index].charge.revocation = nil
        notify(changed(.refundReversed, id), .refundReversed, of: id)
    }
}

extension AppStore {
    /// Records a change of a purchase now, and the truth from now on.
    mutating func changed(_ kind: ChangeKind, _ id: PurchaseID) -> StoreChange {
        let purchase = purchases[id.index]
        if purchase.charge.product.type == .nonConsumable {
            log.truth.write(originalTransactionId(of: id), at: now, TruthState(purchase))
        }
        return changed(kind, purchase.origin, signedDate: nextSigningDate())
    }

    private func chargeIndex(_ transactionId: String, of id: SubscriptionID) -> Int {
        guard let index = self[id].charges.firstIndex(where: { $0.transactionId == transactionId }) else {
            preconditionFailure("the subscription has no transaction \(transactionId)")
        }
        return index
    }

    /// Revokes the running period. A period already charged still begins.
    private mutating func revoke(_ id: SubscriptionID, reason: RevocationReason) {
        precondition(self[id].members.isEmpty || !isRenewed(id), "shared and charged ahead is not refunded")
        for member in self[id].members { revokeSharing(member, reason: reason) }
        self[id].members = []
        self[id].phase = .revoked
        self[id].statusRevokedAt = nil
        stopRenewing(id)
    }

    private mutating func stopRenewing(_ id: SubscriptionID) {
        precondition(self[id].members.isEmpty, "sharing has ended before")
        self[id].autoRenews = false
        self[id].expirationIntent = nil
        self[id].nextOffer = nil
        self[id].priceIncrease = nil
    }
}

extension RefundExtent {
    /// The refunded part of the price in milli-percent; nil if nobody knows it.
    fileprivate var percentage: Int64? {
        switch self {
        case .full: 100_000
        case .prorated(let percentage): percentage
        case .unknown: nil
        }
    }

    fileprivate var kind: ChangeKind {
        switch self {
        case .full: .refundFull
        case .prorated: .refundProrated
        case .unknown: .refundOfUnknownKind
        }
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
        case .unknown:
            self.init(
                date: date, reason: RevocationReason(rawValue: 2), type: RevocationType(rawValue: "ASSIGNMENT_REVOKE"),
                percentage: nil)
        }
    }
}
