import LedgerModel
import Primitives
import TableFiles

extension StateTable {
    /// The times for which customers own a subscription or a purchase. A decision counts from its recording, a token from
    /// the purchase or the signing that states it.
    static let ownership = StateTable(
        .ofSubscriptions(
            "ownership", version: 1, keyCount: 5,
            [
                .text("customer_handle"), .instant("owned_from"), .nullable("owned_until", .instant), .text("strength"),
            ]),
        .units { unit, rows in
            for (key, timeline) in unit.timelines {
                for interval in unit.ownedIntervals(of: key, timeline) {
                    try rows.add { $0.append(interval, key) }
                }
            }
        })
}

/// The time for which a customer owns a key, and the statements that decide so.
struct OwnedInterval {
    let customer: CustomerHandle
    let from: Instant
    /// Nil for the owner at the instant in question.
    var until: Instant?
    /// The strength of the newest of them.
    var strength: Ownership.Basis.Strength
    var positions: Set<Position>
}

extension ExportUnit {
    /// Returns the times for which customers own a key, from its first purchase on. The bearer of a token that nobody
    /// mapped is no customer.
    func ownedIntervals(of key: SubscriptionKey, _ timeline: Timeline) -> [OwnedInterval] {
        guard let start = timeline.beginning, start <= asOf else { return [] }
        let evidence = history.evidence(of: key, timeline, below: context.size)
        let decisions = history.events.filter { $0.recordedAt <= asOf && $0.fact.position < context.size }
        let instants = Set([start] + decisions.map(\.recordedAt) + evidence.tokens.steps.map(\.from))
        var open: [CustomerHandle: OwnedInterval] = [:]
        var closed: [OwnedInterval] = []
        for instant in instants.sorted() where instant >= start && instant <= asOf {
            let size = (decisions.last { $0.recordedAt <= instant }?.fact.position).map { $0 + 1 } ?? 0
            let ownership = Ownership(
                evidence.decided(below: size), at: instant, directory: history.directory(below: size),
                rule: context.rules.customers.claimConflict)
            for (customer, var interval) in open where !ownership.isOwned(by: customer) {
                interval.until = instant
                closed.append(interval)
                open[customer] = nil
            }
            guard let basis = ownership.basis else { continue }
            for case .customer(let customer) in ownership.owners {
                var interval =
                    open[customer]
                    ?? OwnedInterval(customer: customer, from: instant, strength: basis.strength, positions: [])
                interval.strength = basis.strength
                interval.positions.insert(basis.position)
                open[customer] = interval
            }
        }
        return closed + open.values
    }
}

extension Timeline {
    /// The instant from which a key can be owned; nil without a statement.
    fileprivate var beginning: Instant? {
        let purchases = transactions.compactMap {
            [$0.value.purchaseDate, $0.value.originalPurchaseDate].compactMap(\.self).min()
        }
        return purchases.min() ?? renewals.map(\.source.time).min() ?? notifications.map(\.source.time).min()
    }
}

extension TableRow {
    fileprivate mutating func append(_ interval: OwnedInterval, _ key: SubscriptionKey) {
        append(key: key)
        append(text: interval.customer.hex)
        append(instant: interval.from)
        append(instant: interval.until)
        append(text: interval.strength.rawValue)
        append(evidence: interval.positions.sorted())
    }
}
