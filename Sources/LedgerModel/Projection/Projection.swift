package import Primitives

/// A table about subscriptions as a pure function of facts, rules and an instant.
package protocol Projection: Sendable {
    associatedtype Row

    /// The name in commands and of the folder.
    static var name: String { get }
    /// Increased by every change of the rows or of their stored form.
    static var version: Int64 { get }
    /// At most 64, in the order of the stored form.
    static var columns: [Column<Row>] { get }

    /// Whether the rows depend on the events about customers.
    static var readsCustomers: Bool { get }

    /// Returns the entries of all keys with rows, and of those that may get rows later without a new fact.
    static func entries(of unit: UnitFacts, at t: Instant, rules: Rules) -> [ProjectionEntry<Row>]
}

/// The rows of one key.
package struct ProjectionEntry<Row> {
    package let key: SubscriptionKey
    package let rows: [Row]
    /// The first instant at which the rows may differ although no fact is added; nil when time
    /// alone changes none.
    package let validUntil: Instant?

    package init(key: SubscriptionKey, rows: [Row], validUntil: Instant?) {
        self.key = key
        self.rows = rows
        self.validUntil = validUntil
    }
}
