import AppStoreModel

extension NotificationFact {
    /// Creates the fact of the notification itself. The caller adds the digests of the verified payloads it carries.
    init(_ notification: Notification) {
        self.init()
        notificationType = notification.notificationType?.stated
        subtype = notification.subtype?.stated
        notificationUUID = notification.notificationUUID?.stated.map { NotificationUUID($0) }
        status = notification.data?.status
        consumptionRequestReason = notification.data?.consumptionRequestReason?.stated
    }
}
