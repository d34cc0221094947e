package import AppStoreModel
package import Primitives

extension Translation {
    /// Returns the purchases and renewals that a notification of version 1 states, and the notification's own
    /// observation in the timeline of its subscription. All have the lowest rank.
    ///
    /// - Parameters:
    ///   - digest: that of the notification without its password.
    ///   - time: the creation of the receipt in it, else its newest date.
    package func notification(
        _ notification: NotificationV1, digest: Digest, environment: Environment, bundleId: String, at time: Instant
    ) -> [KeyedObservation] {
        let statement = UnsignedStatement(digest: digest, environment: environment, bundleId: bundleId)
        var observations: [KeyedObservation] = []
        if let id = notification.originalTransactionId {
            var fact = NotificationFact()
            fact.notificationType = NotificationType(rawValue: "V1/" + notification.notificationType)
            observations.append(observation(.notification(fact), of: id, "", statement, time, .notificationV1))
        }
        for row in notification.rows {
            observations.append(
                observation(
                    .transaction(TransactionFact(row.purchase)), of: row.purchase.originalTransactionId, row.path,
                    statement, time, .notificationV1))
        }
        for element in notification.renewals {
            observations.append(
                observation(
                    .renewal(RenewalFact(element)), of: element.renewal.originalTransactionId, element.path, statement,
                    time, .notificationV1))
        }
        return observations
    }
}
