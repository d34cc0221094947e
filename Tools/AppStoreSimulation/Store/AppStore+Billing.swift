import AppStoreModel
package import Primitives

extension AppStore {
    /// Declines charges to the account from now on. Nothing is sent until a renewal fails.
    /// - Parameters:
    ///   - grace: the form in which Apple signs a grace period that follows.
    ///   - hours: the time from the end of the period to the signing of the failure.
    package mutating func breakBilling(
        of customer: CustomerID, grace: GraceSignature = .documented, signedAfterHours hours: Int64 = 0,
        at instant: Instant
    ) {
        advance(to: instant)
        customers[customer.index].billingFails = true
        customers[customer.index].failure = (grace, hours * Instant.millisecondsPerHour)
    }

    /// Accepts charges again and collects renewals in grace or billing retry: DID_RENEW with BILLING_RECOVERY.
    package mutating func fixBilling(of customer: CustomerID, at instant: Instant) {
        advance(to: instant)
        customers[customer.index].billingFails = false
        for index in subscriptions.indices {
            let subscription = subscriptions[index]
            guard subscription.origin.customer == customer, subscription.origin.ownership == .purchased else {
                continue
            }
            switch subscription.phase {
            case .gracePeriod: recoverInGrace(SubscriptionID(index: index))
            case .billingRetry: recoverInRetry(SubscriptionID(index: index))
            case .active, .expired, .revoked: break
            }
        }
    }
}

extension AppStore {
    /// Fails a renewal at the end of the period: DID_FAIL_TO_RENEW, with GRACE_PERIOD where the app grants one.
    mutating func failRenewal(_ id: SubscriptionID) {
        let graceEnd = graceEnd(of: self[id])
        let failure = customers[self[id].origin.customer.index].failure
        let kind: ChangeKind =
            switch failure.grace {
            case _ where failure.delay > 0: .failureSignedLate
            case _ where graceEnd == nil: .failureWithoutGrace
            case .documented: .failureWithGrace
            case .withoutRetryFlag: .graceWithoutRetryFlag
            case .withoutDate: .graceWithoutDate
            }
        for holder in holders(of: id) {
            self[holder].phase = graceEnd.map { .gracePeriod(until: $0) } ?? .billingRetry
            self[holder].graceSignature = failure.grace
            self[holder].expirationIntent = .billingError
            let change = changed(kind, holder, signedAfter: failure.delay)
            notify(change, .didFailToRenew, graceEnd == nil ? nil : .gracePeriod, of: holder)
        }
    }

    private func graceEnd(of subscription: Subscription) -> Instant? {
        guard let grace = configuration.gracePeriod else { return nil }
        if grace.onlyPaidToPaid, !subscription.newest.isPaid { return nil }
        let isWeekly = subscription.newest.product.period?.unit == .week
        let days = isWeekly ? min(grace.days, BillingGracePeriod.weeklyDays) : grace.days
        return subscription.end.advanced(byMilliseconds: configuration.milliseconds(ofDays: days))
    }

    mutating func endGrace(_ id: SubscriptionID) {
        for holder in holders(of: id) {
            self[holder].phase = .billingRetry
            notify(changed(.gracePeriodExpiry, holder), .gracePeriodExpired, of: holder)
        }
    }

    mutating func endRetry(_ id: SubscriptionID) {
        expire(id, .billingRetry, .billingError, as: .retryExhausted)
    }

    /// Starts a new period now. It ends as if the renewal had not failed, and the days of grace count as paid service.
    private mutating func recoverInGrace(_ id: SubscriptionID) {
        let failedAt = self[id].end
        let period = self[id].nextOffer?.offer.period ?? self[id].nextProduct.period
        recover(
            id, chargeNextPeriod(id, from: now, until: period.map { configuration.end(of: $0, from: failedAt) }),
            as: .recoveryInGrace)
        if self[id].newest.isPaid, failedAt < now {
            writeService(of: id, .paid(transaction: "grace before \(self[id].newest.transactionId)", failedAt..<now))
        }
    }

    /// Starts a new period now, which moves the anniversary.
    private mutating func recoverInRetry(_ id: SubscriptionID) {
        recover(id, chargeNextPeriod(id, from: now), as: .recoveryInRetry)
    }

    private mutating func recover(_ id: SubscriptionID, _ charge: Charge, as kind: ChangeKind) {
        for holder in holders(of: id) {
            append(charge, to: holder)
            self[holder].phase = .active
            self[holder].expirationIntent = nil
            notify(changed(kind, holder), .didRenew, .billingRecovery, of: holder)
        }
        beginPeriod(id)
    }
}
