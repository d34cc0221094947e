import AppStoreModel
package import Primitives

/// What is so in a simulated App Store at each instant: states written down by the acts that brought them about,
/// never read off what was signed.
package struct Truth: Sendable {
    /// How far the clock has run. What is asked of later instants is a programmer's error.
    package internal(set) var knownUntil: Instant
    private var records: [Record] = []
    private var indices: [String: Int] = [:]
    private var services: [ServiceKey: PaidService] = [:]

    private struct Record: Sendable {
        let environment: Environment
        let bundleId: String
        let originalTransactionId: String
        let ownership: InAppOwnershipType
        let service: ServiceKey
        /// In the order of their instants.
        var states: [(from: Instant, state: TruthState)]
    }

    /// Whose paid service counts together: an account's in one subscription group.
    struct ServiceKey: Hashable, Sendable {
        let customer: Int
        let group: String?
    }

    init(knownUntil: Instant) {
        self.knownUntil = knownUntil
    }

    /// A row for every purchase that has begun, sorted by the bytes of environment, bundle and original transaction.
    /// Consumables and non-renewing subscriptions have none.
    package func rows(at instant: Instant) -> [TruthRow] {
        records.compactMap { row(of: $0, at: instant) }.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    }

    /// Nil before the purchase has begun.
    package func row(of originalTransactionId: String, at instant: Instant) -> TruthRow? {
        indices[originalTransactionId].flatMap { row(of: records[$0], at: instant) }
    }

    /// Whether the customer had the service at any time from the first instant to the last.
    package func isEntitled(to originalTransactionId: String, within range: ClosedRange<Instant>) -> Bool {
        guard let index = indices[originalTransactionId] else { return false }
        let states = records[index].states
        return states.indices.contains { number in
            let next = number + 1 < states.count ? states[number + 1].from : .latest
            return states[number].state.isEntitled && states[number].from <= range.upperBound
                && range.lowerBound < next
        }
    }

    /// The app account tokens that a purchase has had as its owners.
    package func owners(of originalTransactionId: String) -> Set<String> {
        Set(indices[originalTransactionId].map { records[$0].states.compactMap(\.state.owner) } ?? [])
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
    /// Begins the record of a purchase.
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

    /// Writes down what is true from `instant` on.
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

    /// Takes over the records of another store; their transactions and customers must differ.
    mutating func merge(_ other: Truth) {
        knownUntil = min(knownUntil, other.knownUntil)
        for record in other.records {
            precondition(indices[record.originalTransactionId] == nil, "two stores gave out one transaction id")
            indices[record.originalTransactionId] = records.count
            records.append(record)
        }
        services.merge(other.services) { _, _ in preconditionFailure("two stores share one customer") }
    }
}

extension TruthRow {
    fileprivate var sortKey: [UInt8] {
        Array(environment.rawValue.utf8) + [0] + Array(bundleId.utf8) + [0] + Array(originalTransactionId.utf8)
    }
}
