import AppStoreModel
package import LedgerModel
package import Primitives

/// A status that Apple signed with a notification and that differs from the fold at its signedDate.
package struct Disagreement: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The position of the notification.
    package let position: Position
    package let signedDate: Instant
    package let signed: Status
    package let folded: Status
}

extension Subscription {
    /// Every disagreement of what is known, in the order of signing. Of the retries of one notification the first counts,
    /// since a retry repeats the old status under a new signature.
    /// - Parameter periods: those listed.
    func disagreements(_ periods: [Period], rules: Rules.Access) -> [Disagreement] {
        var seen: Set<String> = []
        return notifications.compactMap { notification in
            // A status that Apple adds later states nothing to disagree with.
            guard let signed = notification.value.status.flatMap(Status.init(signed:)),
                notification.value.notificationUUID.map({ seen.insert($0).inserted }) ?? true,
                let context = StatusContext(key, periods: periods, at: notification.source.time, rules: rules),
                signed != context.status
            else { return nil }
            return Disagreement(
                key: key, position: notification.source.position, signedDate: notification.source.time, signed: signed,
                folded: context.status)
        }
    }
}

extension [Disagreement] {
    /// The newest signed by `t`.
    func newest(signedBy t: Instant) -> Disagreement? {
        last { $0.signedDate <= t }
    }
}
