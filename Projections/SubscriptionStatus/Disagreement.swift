import AppStoreModel
package import LedgerModel
package import Primitives

/// A status that Apple signed with a notification and that differs from the folded status at its signedDate.
package struct Disagreement: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The position of the notification.
    package let position: Position
    package let signedDate: Instant
    package let signed: Status
    package let folded: Status
}

extension Subscription {
    /// Returns every known disagreement, in the order of signing. A retry repeats the old status under a new signature,
    /// so only the first of a notification's retries counts.
    /// - Parameter periods: the listed periods.
    func disagreements(_ periods: [Period], rules: Rules.Access) -> [Disagreement] {
        notifications.indices.compactMap { index in
            let notification = notifications[index]
            // An undocumented status code cannot disagree.
            guard let signed = notification.value.status.flatMap(Status.init(signed:)),
                let context = StatusContext(key, periods: periods, at: notification.source.time, rules: rules),
                signed != context.status, !isRetry(index)
            else { return nil }
            return Disagreement(
                key: key, position: notification.source.position, signedDate: notification.source.time, signed: signed,
                folded: context.status)
        }
    }

    /// Whether an earlier notification with a documented status has the same notificationUUID.
    private func isRetry(_ index: Int) -> Bool {
        guard let uuid = notifications[index].value.notificationUUID else { return false }
        return notifications[..<index].contains {
            $0.value.notificationUUID == uuid && $0.value.status?.isDocumented == true
        }
    }
}

extension [Disagreement] {
    /// Returns the newest disagreement signed by `t`.
    func newest(signedBy t: Instant) -> Disagreement? {
        last { $0.signedDate <= t }
    }
}
