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
        // Disagreements are rare, so this is rarely made.
        lazy var firsts = firstNotifications
        return notifications.indices.compactMap { index in
            let signedDate = notifications[index].source.time
            // An undocumented status code cannot disagree.
            guard let signed = notifications[index].value.status.flatMap(Status.init(signed:)),
                signed != .active || !periods.isPaid(at: signedDate),
                let context = StatusContext(key, periods: periods, at: signedDate, rules: rules),
                signed != context.status,
                notifications[index].value.notificationUUID.map({ firsts[$0] == index }) ?? true
            else { return nil }
            return Disagreement(
                key: key, position: notifications[index].source.position, signedDate: signedDate, signed: signed,
                folded: context.status)
        }
    }

    /// The index of the first notification of each notificationUUID with a documented status.
    private var firstNotifications: [NotificationUUID: Int] {
        var firsts: [NotificationUUID: Int] = [:]
        for (index, notification) in notifications.enumerated() where notification.value.status?.isDocumented == true {
            guard let uuid = notification.value.notificationUUID, firsts[uuid] == nil else { continue }
            firsts[uuid] = index
        }
        return firsts
    }
}

extension [Disagreement] {
    /// Returns the newest disagreement signed by `t`.
    func newest(signedBy t: Instant) -> Disagreement? {
        last { $0.signedDate <= t }
    }
}
