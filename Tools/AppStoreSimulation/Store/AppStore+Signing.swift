import AppStoreModel
import Primitives

extension AppStore {
    var writer: PayloadWriter { PayloadWriter(configuration: configuration) }

    /// Writes down that something happens to a subscription now. Its signatures are in the order of its changes.
    mutating func changed(_ kind: ChangeKind, _ id: SubscriptionID) -> StoreChange {
        var signedDate = nextSigningDate()
        if let last = self[id].lastSignedDate, signedDate <= last { signedDate = last.advanced(byMilliseconds: 1) }
        self[id].lastSignedDate = signedDate
        return changed(kind, self[id].origin, signedDate: signedDate)
    }

    mutating func changed(_ kind: ChangeKind, _ origin: PurchaseOrigin?, signedDate: Instant) -> StoreChange {
        let change = StoreChange(
            kind: kind, date: now, signedDate: signedDate,
            customer: origin.map { customers[$0.customer.index].number },
            originalTransactionId: origin?.originalTransactionId)
        log.changes.append(change)
        return change
    }

    mutating func nextSigningDate() -> Instant {
        now.advanced(byMilliseconds: generator.number(in: configuration.signingDelay))
    }

    /// Sends a notification about a subscription and one of its charges, the newest unless another is named.
    mutating func notify(
        _ change: StoreChange, _ type: NotificationType, _ subtype: Subtype? = nil, of id: SubscriptionID,
        charge index: Int? = nil, consumptionRequestReason: ConsumptionRequestReason? = nil
    ) {
        let subscription = self[id]
        let customer = customers[subscription.origin.customer.index]
        let charge = subscription.charges[index ?? subscription.charges.count - 1]
        var content = NotificationContent(type: type, subtype: subtype, uuid: generator.uuid())
        content.status = subscription.status
        content.consumptionRequestReason = consumptionRequestReason
        sign(
            content, change,
            transaction: writer.transaction(
                charge, of: subscription.origin, by: customer, signedDate: change.signedDate),
            renewalInfo: writer.renewalInfo(subscription, by: customer, signedDate: change.signedDate))
    }

    mutating func notify(_ change: StoreChange, _ type: NotificationType, of id: PurchaseID) {
        let purchase = purchases[id.index]
        let transaction = writer.transaction(
            purchase.charge, of: purchase.origin, by: customers[purchase.origin.customer.index],
            signedDate: change.signedDate)
        sign(
            NotificationContent(type: type, subtype: nil, uuid: generator.uuid()), change,
            transaction: transaction, renewalInfo: nil)
    }

    mutating func sign(
        _ content: NotificationContent, _ change: StoreChange, transaction: [JSONValue.Member]?,
        renewalInfo: [JSONValue.Member]?
    ) {
        append(
            .notification, change,
            .notification(
                content, writer, transaction: transaction.map { JSONValue.object($0).bytes },
                renewalInfo: renewalInfo.map { JSONValue.object($0).bytes }))
    }

    /// Signs a transaction by itself, as the device and the App Store Server API get it.
    mutating func signTransaction(_ charge: Charge, of origin: PurchaseOrigin, _ change: StoreChange) {
        let payload = writer.transaction(
            charge, of: origin, by: customers[origin.customer.index], signedDate: change.signedDate)
        append(.transaction, change, .alone(JSONValue.object(payload).bytes))
    }

    mutating func signRenewalInfo(of id: SubscriptionID, _ change: StoreChange) {
        let payload = writer.renewalInfo(
            self[id], by: customers[self[id].origin.customer.index], signedDate: change.signedDate)
        append(.renewalInfo, change, .alone(JSONValue.object(payload).bytes))
    }

    mutating func append(
        _ kind: StoreArtifact.Kind, _ change: StoreChange, _ content: StoreArtifact.Content
    ) {
        log.artifacts.append(
            StoreArtifact(
                kind: kind, signedDate: change.signedDate, change: change.kind, customer: change.customer,
                originalTransactionId: change.originalTransactionId, content: content))
    }
}
