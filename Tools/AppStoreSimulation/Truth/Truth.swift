import AppStoreModel
package import Primitives

/// The true states of purchases in a simulated App Store at each instant. The acts record them directly; they are never
/// derived from signed artifacts.
package struct Truth: Sendable {
    /// The instant to which the clock has advanced. A request for a row at a later instant traps.
    package internal(set) var knownUntil: Instant
    private var records: [Record] = []
    private var indices: [String: Int] = [:]
    private var services: [ServiceKey: PaidService] = [:]
    /// The purchases of subscriptions.
    var money = MoneyBook()

    private struct Record: Sendable {
        let environment: Environment
        let bundleId: String
        let originalTransactionId: String
        let ownership: InAppOwnershipType
        let service: ServiceKey
        /// In the order of `from`.
        var states: [(from: Instant, state: TruthState)]
    }

    /// The scope in which paid service counts together: one account in one subscription group.
    struct ServiceKey: Hashable, Sendable {
        let customer: Int
        let group: String?
    }

    init(knownUntil: Instant) {
        self.knownUntil = knownUntil
    }

    /// Returns a row for every purchase that has begun, sorted by the bytes of environment, bundle id and original
    /// transaction id. Consumables and non-renewing subscriptions have none.
    package func rows(at instant: Instant) -> [TruthRow] {
        records.compactMap { row(of: $0, at: instant) }.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    }

    /// Returns the row of a purchase; nil before it has begun.
    package func row(of originalTransactionId: String, at instant: Instant) -> TruthRow? {
        indices[originalTransactionId].flatMap { row(of: records[$0], at: instant) }
    }

    /// Whether the customer had the service at any time in `range`.
    package func isEntitled(to originalTransactionId: String, within range: ClosedRange<Instant>) -> Bool {
        guard let index = indices[originalTransactionId] else { return false }
        let states = records[index].states
        return states.indices.contains { number in
            let next = number + 1 < states.count ? states[number + 1].from : .latest
            return states[number].state.isEntitled && states[number].from <= range.upperBound
                && range.lowerBound < next
        }
    }

    /// Returns the app account tokens that have owned a purchase.
    package func owners(of originalTransactionId: String) -> Set<String> {
        Set(indices[originalTransactionId].map { records[$0].states.compactMap(\.state.owner) } ?? [])
    }

    /// Returns the movements of money for the subscriptions that began by an instant, in the order of the acts.
    package func movements(at instant: Instant) -> [MoneyMovement] {
        money.movements.filter { $0.saleAt <= instant && $0.at <= instant }
    }

    /// Returns the ranges in which the account of a subscription had paid service in the group, as known at an instant.
    package func paidRanges(of originalTransactionId: String, knownAt instant: Instant) -> [Range<Instant>] {
        guard let index = indices[originalTransactionId], records[index].ownership == .purchased else { return [] }
        return services[records[index].service]?.paidRanges(knownAt: instant) ?? []
    }

    private func row(of record: Record, at instant: Instant) -> TruthRow? {
        precondition(instant <= knownUntil, "the truth is known until \(knownUntil)")
        guard let current = record.states.last(where: { $0.from <= instant }) else { return nil }
        return TruthRow(
            environment: record.environment,
            bundleId: record.bundleId,
            originalTransactionId: record.originalTransactionId,
            customer: record.service.customer,
            ownership: record.ownership,
            state: current.state,
            paidDays: record.ownership == .purchased ? services[record.service]?.days(at: instant) ?? 0 : 0
        )
    }
}

extension Truth {
    /// Opens the record of a purchase.
    mutating func open(
        _ origin: PurchaseOrigin, of service: ServiceKey, in configuration: StoreConfiguration, at instant: Instant,
        _ state: TruthState
    ) {
        let id = origin.originalTransactionId
        precondition(indices[id] == nil, "transaction \(id) has been bought before")
        indices[id] = records.count
        records.append(
            Record(
                environment: configuration.environment, bundleId: configuration.bundleId, originalTransactionId: id,
                ownership: origin.ownership, service: service, states: [(instant, state)]))
    }

    /// Records the state from `instant` on.
    mutating func write(
        _ originalTransactionId: String, at instant: Instant, _ state: TruthState
    ) {
        guard let index = indices[originalTransactionId], let last = records[index].states.last, last.from <= instant
        else { preconditionFailure("the truth of \(originalTransactionId) is written in order") }
        if state == last.state { return }
        if last.from == instant { records[index].states.removeLast() }
        records[index].states.append((instant, state))
    }

    mutating func write(service key: ServiceKey, at instant: Instant, _ event: PaidService.Event) {
        services[key, default: PaidService()].write(event, at: instant)
    }

    /// Adds the records of another store. Its transactions and customers must differ.
    mutating func merge(_ other: Truth) {
        knownUntil = min(knownUntil, other.knownUntil)
        for record in other.records {
            precondition(indices[record.originalTransactionId] == nil, "two stores gave out one transaction id")
            indices[record.originalTransactionId] = records.count
            records.append(record)
        }
        money.merge(other.money)
        services.merge(other.services) { _, _ in preconditionFailure("two stores share one customer") }
    }
}

extension TruthRow {
    fileprivate var sortKey: [UInt8] {
        Array(environment.rawValue.utf8) + [0] + Array(bundleId.utf8) + [0] + Array(originalTransactionId.utf8)
    }
}
