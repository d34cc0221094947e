import AppStoreModel
import LedgerModel

extension NotificationFact {
    /// Which payloads it carries is for those to add who verified them.
    init(_ notification: Notification) {
        self.init()
        notificationType = notification.notificationType?.stated
        subtype = notification.subtype?.stated
        notificationUUID = notification.notificationUUID?.stated
        status = notification.data?.status
        consumptionRequestReason = notification.data?.consumptionRequestReason?.stated
    }
}
