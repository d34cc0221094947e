import AppStoreModel
import AppStoreSimulation
import Primitives

/// All notifications within the time for which Apple keeps their history, in the order of their signing dates.
package struct DeliveryBook: Sendable {
    /// notificationUUID -> delivery
    private var deliveries: [String: Delivery] = [:]
    private var order: [String] = []
    /// The UUIDs with an attempt to come.
    private var pending: Set<String> = []

    package init() {}

    package var count: Int { order.count }
    package var pendingCount: Int { pending.count }

    package subscript(uuid: String) -> Delivery? { deliveries[uuid] }

    /// In the order of their signing dates.
    package var all: some Sequence<Delivery> { order.lazy.compactMap { deliveries[$0] } }

    mutating func add(_ delivery: Delivery) {
        guard deliveries.updateValue(delivery, forKey: delivery.uuid) == nil else { return }
        var index = order.endIndex
        while index > 0, let before = deliveries[order[index - 1]],
            before.notification.signedDate > delivery.notification.signedDate
        { index -= 1 }
        order.insert(delivery.uuid, at: index)
        if delivery.nextAttempt != nil { pending.insert(delivery.uuid) }
    }

    mutating func record(_ attempt: Delivery.Attempt, of uuid: String) {
        deliveries[uuid]?.record(attempt)
        if deliveries[uuid]?.nextAttempt == nil { pending.remove(uuid) }
    }

    /// Returns what is due by an instant, in the order of the due dates.
    func due(by instant: Instant) -> [Delivery] {
        let due = pending.compactMap { deliveries[$0] }.filter { $0.nextAttempt.map { $0 <= instant } ?? false }
        return due.sorted { ($0.nextAttempt ?? .earliest, $0.uuid) < ($1.nextAttempt ?? .earliest, $1.uuid) }
    }

    /// Forgets what was signed before an instant and has no attempt to come.
    mutating func forget(before instant: Instant) {
        let old = order.prefix { uuid in
            deliveries[uuid].map { $0.notification.signedDate < instant && $0.nextAttempt == nil } ?? true
        }
        for uuid in old { deliveries[uuid] = nil }
        order.removeFirst(old.count)
    }
}
