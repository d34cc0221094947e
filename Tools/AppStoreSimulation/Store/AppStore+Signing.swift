import AppStoreModel
import Primitives

extension AppStore {
    var writer: PayloadWriter { PayloadWriter(configuration: configuration) }

    /// Records a change of a subscription now, and the truth from now on. Signing dates ascend in the order of the
    /// changes.
    /// - Parameters:
    ///   - delay: milliseconds until the change is signed, in addition to the configured delay.
    ///   - settledDate: the instant from which the change can be known, where that is later than its signing date.
    mutating func changed(
        _ kind: ChangeKind, _ id: SubscriptionID, signedAfter delay: Int64 = 0, settledDate: Instant? = nil
    ) -> StoreChange {
        var signedDate = nextSigningDate().advanced(byMilliseconds: delay)
        if let last = self[id].lastSignedDate, signedDate <= last { signedDate = last.advanced(byMilliseconds: 1) }
        self[id].lastSignedDate = signedDate
        writeTruth(of: id)
        return changed(kind, self[id].origin, signedDate: signedDate, settledDate: settledDate)
    }

    mutating func changed(
        _ kind: ChangeKind, _ origin: PurchaseOrigin?, signedDate: Instant, settledDate: Instant? = nil
    ) -> StoreChange {
        let change = StoreChange(
            kind: kind, date: now, signedDate: signedDate, settledDate: max(signedDate, settledDate ?? signedDate),
            customer: origin.map { customers[$0.customer.index].number },
            originalTransactionId: origin?.originalTransactionId)
        log.changes.append(change)
        return change
    }

    mutating func nextSigningDate() -> Instant {
        now.advanced(byMilliseconds: generator.number(in: configuration.signingDelay))
    }

    /// Sends a notification about a subscription and one of its charges, by default the newest. For an app without
    /// notifications, a device posts the transaction if it gets one.
    mutating func notify(
        _ change: StoreChange, _ type: NotificationType, _ subtype: Subtype? = nil, of id: SubscriptionID,
        charge index: Int? = nil, status: SubscriptionStatusCode? = nil,
        consumptionRequestReason: ConsumptionRequestReason? = nil
    ) {
        let subscription = self[id]
        let customer = customers[subscription.origin.customer.index]
        let newest = subscription.charges.count - 1
        let charge = subscription.charges[index ?? newest]
        guard configuration.notifies else { return post(charge, of: subscription.origin, change, insteadOf: type) }
        var content = NotificationContent(type: type, subtype: subtype, uuid: generator.uuid())
        content.status = status ?? subscription.status
        content.consumptionRequestReason = consumptionRequestReason
        content.account = statedPurchases(with: charge, of: subscription.origin.customer)
        sign(
            content, change, tellsAll: index ?? newest == newest && charge.purchaseDate <= now,
            transaction: writer.transaction(
                charge, of: subscription.origin, by: customer, signedDate: change.signedDate),
            renewalInfo: writer.renewalInfo(subscription, by: customer, signedDate: change.signedDate))
    }

    mutating func notify(_ change: StoreChange, _ type: NotificationType, of id: PurchaseID) {
        let purchase = purchases[id.index]
        guard configuration.notifies else {
            return post(purchase.charge, of: purchase.origin, change, insteadOf: type)
        }
        let transaction = writer.transaction(
            purchase.charge, of: purchase.origin, by: customers[purchase.origin.customer.index],
            signedDate: change.signedDate)
        var content = NotificationContent(type: type, subtype: nil, uuid: generator.uuid())
        content.account = statedPurchases(with: purchase.charge, of: purchase.origin.customer)
        sign(content, change, tellsAll: true, transaction: transaction, renewalInfo: nil)
    }

    /// Returns the purchases that a notification of version 1 about a charge states; nil when the store writes none.
    /// All other consumables are finished.
    private func statedPurchases(with charge: Charge, of customer: CustomerID) -> AccountPurchases? {
        guard configuration.writesVersion1 else { return nil }
        return purchases(of: customer) { $0.transactionId != charge.transactionId }
    }

    /// - Parameter tellsAll: whether the notification states the whole purchase.
    mutating func sign(
        _ content: NotificationContent, _ change: StoreChange, tellsAll: Bool = false,
        transaction: [JSONValue.Member]?, renewalInfo: [JSONValue.Member]?
    ) {
        append(
            .notification, change,
            .notification(
                content, writer, transaction: transaction.map { JSONValue.object($0).bytes },
                renewalInfo: renewalInfo.map { JSONValue.object($0).bytes }), tellsAll: tellsAll)
        deliverNewest(change)
    }

    /// Decides at random whether the newest notification is delivered at once, late, twice or never.
    private mutating func deliverNewest(_ change: StoreChange) {
        let delivery = configuration.delivery
        let newest = log.artifacts.count - 1
        if generator.happens(percent: delivery.lostPercent) {
            log.artifacts[newest].deliveredDate = nil
            changedNothing(.notificationLost, change)
        } else if generator.happens(percent: delivery.latePercent) {
            let lateness = generator.number(in: NotificationDelivery.lateness)
            log.artifacts[newest].deliveredDate = change.signedDate.advanced(byMilliseconds: lateness)
            changedNothing(.notificationLate, change)
        }
        if log.artifacts[newest].deliveredDate != nil, generator.happens(percent: delivery.retryPercent) {
            let hours = generator.element(of: NotificationDelivery.retryHours)
            retryNewest(change, after: hours * Instant.millisecondsPerHour)
        }
    }

    /// Posts the newest notification again. Only its own signing date and signature differ.
    private mutating func retryNewest(_ change: StoreChange, after milliseconds: Int64) {
        let signedDate = change.signedDate.advanced(byMilliseconds: milliseconds)
        let retry = StoreChange(
            kind: .notificationRetry, date: signedDate, signedDate: signedDate, settledDate: signedDate,
            customer: change.customer, originalTransactionId: change.originalTransactionId)
        let first = log.artifacts[log.artifacts.count - 1]
        log.changes.append(retry)
        append(.notification, retry, first.content)
    }

    /// Posts the transaction from a device, if devices get one for this type of notification.
    private mutating func post(
        _ charge: Charge, of origin: PurchaseOrigin, _ change: StoreChange, insteadOf type: NotificationType
    ) {
        let posted: [NotificationType] = [
            .subscribed, .didRenew, .didChangeRenewalPref, .refund, .refundReversed, .revoke, .oneTimeCharge,
        ]
        guard posted.contains(type) else { return }
        changedNothing(.devicePosting, change)
        signTransaction(charge, of: origin, change)
    }

    private mutating func changedNothing(_ kind: ChangeKind, _ change: StoreChange) {
        log.changes.append(
            StoreChange(
                kind: kind, date: change.signedDate, signedDate: change.signedDate, settledDate: change.signedDate,
                customer: change.customer, originalTransactionId: change.originalTransactionId))
    }

    /// Signs a transaction on its own, as devices and the App Store Server API return it.
    /// - Returns: its payload.
    @discardableResult
    mutating func signTransaction(_ charge: Charge, of origin: PurchaseOrigin, _ change: StoreChange) -> [UInt8] {
        let payload = JSONValue.object(
            writer.transaction(
                charge, of: origin, by: customers[origin.customer.index], signedDate: change.signedDate)
        ).bytes
        append(.transaction, change, .alone(payload))
        return payload
    }

    mutating func signRenewalInfo(of id: SubscriptionID, _ change: StoreChange) {
        let payload = writer.renewalInfo(
            self[id], by: customers[self[id].origin.customer.index], signedDate: change.signedDate)
        append(.renewalInfo, change, .alone(JSONValue.object(payload).bytes))
    }

    mutating func append(
        _ kind: StoreArtifact.Kind, _ change: StoreChange, _ content: StoreArtifact.Content, tellsAll: Bool = false
    ) {
        log.artifacts.append(
            StoreArtifact(
                kind: kind, signedDate: change.signedDate, deliveredDate: change.signedDate, change: change.kind,
                changeDate: change.date, customer: change.customer,
                originalTransactionId: change.originalTransactionId, tellsAll: tellsAll, content: content))
    }
}

extension SeededGenerator {
    /// Consumes no random number at 0 percent, so the history of a punctual store does not depend on delivery.
    fileprivate mutating func happens(percent: Int) -> Bool { percent > 0 && chance(percent: percent) }
}
