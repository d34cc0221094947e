package import AppStoreModel
package import Primitives

/// Requests of the developer, acts on devices, and notifications that change nothing.
extension AppStore {
    /// Moves the renewal date: RENEWAL_EXTENDED, with the transaction signed again with a later end.
    /// - Parameter days: 1 ... 90
    package mutating func extendRenewal(of id: SubscriptionID, byDays days: Int64, at instant: Instant) {
        advance(to: instant)
        precondition((1...90).contains(days), "a renewal is extended by 1 to 90 days")
        precondition(self[id].phase == .active && !isRenewed(id), "what is active and not yet renewed is extended")
        let end = self[id].end.advanced(byMilliseconds: configuration.milliseconds(ofDays: days))
        writeService(of: id, .extended(transaction: self[id].newest.transactionId, to: end))
        for holder in holders(of: id) {
            self[holder].charges[self[holder].charges.count - 1].expiresDate = end
            notify(changed(.renewalExtension, holder), .renewalExtended, of: holder)
        }
        scheduleCharge(id)
    }

    /// Reports that a requested extension failed: RENEWAL_EXTENSION with FAILURE.
    mutating func failExtension(of id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        notify(changed(.extensionFailure, id), .renewalExtension, .failure, of: id)
    }

    /// Reports the end of a mass extension: RENEWAL_EXTENSION with SUMMARY.
    mutating func sendSummary(of result: MassExtension, at instant: Instant) {
        advance(to: instant)
        let change = changed(.massExtension, nil, signedDate: nextSigningDate())
        var content = NotificationContent(type: .renewalExtension, subtype: .summary, uuid: generator.uuid())
        content.summary = result
        sign(content, change, transaction: nil, renewalInfo: nil)
    }

    /// Moves a subscription to another product under a new original transaction id, at once and with a new period:
    /// MIGRATION. Nothing is signed about the end of the old one; only `previousOriginalTransactionId` states it.
    package mutating func migrate(
        _ id: SubscriptionID, to productId: String, at instant: Instant
    ) -> SubscriptionID {
        advance(to: instant)
        let product = configuration.catalog[productId]
        let customer = self[id].origin.customer
        precondition(product.group == self[id].group, "a migration stays in its group")
        precondition(self[id].phase == .active && !isRenewed(id), "what is active and not yet renewed migrates")
        precondition(self[id].members.isEmpty, "what is shared does not migrate")
        writeService(of: id, .replaced(transaction: self[id].newest.transactionId, at: now))
        self[id].phase = .expired
        self[id].autoRenews = false
        writeTruth(of: id)
        let charge = charge(for: product, nil, price: product.price, to: customer, from: now, reason: .purchase)
        let successor = open(charge, by: customer, previous: id)
        scheduleCharge(successor)
        notify(changed(.migration, successor), .migration, of: successor)
        return successor
    }

    /// Sets the app account token of the subscription and of the customer's later purchases. No notification reports
    /// it. Transaction and renewal info are signed as in an answer of the App Store Server API.
    package mutating func setAppAccountToken(_ token: String, of id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        customers[self[id].origin.customer.index].appAccountToken = token
        self[id].charges[self[id].charges.count - 1].appAccountToken = token
        self[id].appAccountToken = token
        self[id].owner = token
        let change = changed(.appAccountToken, id)
        signTransaction(self[id].newest, of: self[id].origin, change)
        signRenewalInfo(of: id, change)
    }

    /// Sets the app account token of the next renewal and of the customer's later purchases. Nothing is signed now.
    package mutating func renew(_ id: SubscriptionID, withAppAccountToken token: String, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].autoRenews && !isRenewed(id), "what renews and has not yet gets another token")
        customers[self[id].origin.customer.index].appAccountToken = token
        self[id].nextAppAccountToken = token
    }

    /// Signs another user of the app in on the customer's devices. Purchases from now on carry that user's token.
    package mutating func signIn(_ token: String, by customer: CustomerID, at instant: Instant) {
        advance(to: instant)
        customers[customer.index].appAccountToken = token
    }

    /// Starts the app on a subscriber's device, which gets its app transaction and the newest transaction.
    package mutating func launchApp(with id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let change = changed(.appLaunch, id)
        let payload = writer.appTransaction(
            of: customers[self[id].origin.customer.index], createdAt: change.signedDate)
        append(.appTransaction, change, .alone(JSONValue.object(payload).bytes))
        signTransaction(self[id].newest, of: self[id].origin, change)
    }

    /// Signs the transactions of a subscription again for a second device, except upgraded ones and those yet to begin.
    package mutating func reinstall(with id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let change = changed(.reinstall, id)
        for charge in self[id].charges where charge.purchaseDate <= now && !charge.isUpgraded {
            signTransaction(charge, of: self[id].origin, change)
        }
    }

    /// Restores the running period on a device, which gets a new transaction for the same line item.
    /// - Returns: the id of the transaction and its payload.
    @discardableResult
    package mutating func restore(
        _ id: SubscriptionID, at instant: Instant
    ) -> (transactionId: String, payload: [UInt8]) {
        advance(to: instant)
        precondition(self[id].phase == .active, "what is active is restored")
        redatePurchases(of: self[id].origin.customer)
        let copy = self[id].charges[self[id].running(at: now)]
            .restored(as: identifiers.transactionId(in: configuration.environment), at: now)
        return (copy.transactionId, signTransaction(copy, of: self[id].origin, changed(.restore, id)))
    }

    /// Restores a non-consumable on a device, which gets a new transaction with the date of the restore.
    /// - Returns: the id of the transaction and its payload.
    mutating func restore(_ id: PurchaseID, at instant: Instant) -> (transactionId: String, payload: [UInt8]) {
        advance(to: instant)
        let purchase = purchases[id.index]
        let restored = redate(id)
        let payload = writer.transaction(
            purchase.charge.restored(as: restored.transactionId, at: restored.date), of: purchase.origin,
            by: customers[purchase.origin.customer.index], signedDate: now)
        return (restored.transactionId, JSONValue.object(payload).bytes)
    }

    /// Gives the non-consumables of an account another transaction id and date in receipts, as every restore does.
    private mutating func redatePurchases(of customer: CustomerID) {
        for index in purchases.indices where purchases[index].origin.customer == customer {
            let charge = purchases[index].charge
            if charge.product.type == .nonConsumable, charge.revocation == nil { _ = redate(PurchaseID(index: index)) }
        }
    }

    /// A second restore at the same instant changes nothing.
    private mutating func redate(_ id: PurchaseID) -> OneTimePurchase.Restoration {
        if let restoration = purchases[id.index].restoration, restoration.date == now { return restoration }
        let restoration = OneTimePurchase.Restoration(
            transactionId: identifiers.restoredTransactionId(in: configuration.environment), date: now)
        purchases[id.index].restoration = restoration
        return restoration
    }

    /// Sends a notification that changes nothing, with a type that Apple has not documented yet.
    package mutating func sendUnknownType(of id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        notify(changed(.unknownNotificationType, id), NotificationType(rawValue: "NOT_YET_DOCUMENTED"), of: id)
    }

    /// Sends a notification that changes nothing, with a status that Apple has not documented yet.
    package mutating func sendUnknownStatus(of id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        notify(
            changed(.unknownStatus, id), .metadataUpdate, of: id, status: SubscriptionStatusCode(rawValue: 6))
    }

    /// Requests a refund in the app as the customer: CONSUMPTION_REQUEST.
    package mutating func requestRefund(
        _ id: SubscriptionID, _ reason: ConsumptionRequestReason = .other, at instant: Instant
    ) {
        advance(to: instant)
        notify(
            changed(.consumptionRequest, id), .consumptionRequest, of: id, charge: self[id].running(at: now),
            consumptionRequestReason: reason)
    }

    /// Declines a requested refund: REFUND_DECLINED.
    package mutating func declineRefund(_ id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        notify(changed(.refundDeclined, id), .refundDeclined, of: id, charge: self[id].running(at: now))
    }

    /// Sends a test notification: TEST.
    package mutating func sendTest(at instant: Instant) {
        advance(to: instant)
        let change = changed(.test, nil, signedDate: nextSigningDate())
        sign(
            NotificationContent(type: .test, subtype: nil, uuid: generator.uuid()), change,
            transaction: nil, renewalInfo: nil)
    }
}
