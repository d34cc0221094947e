package import Primitives

/// Amounts in milliunits by currency. One currency is never added to another.
package struct AmountsRow: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Nil where a price has none.
        package var currency: String?
        package var amount: Int64

        package init(currency: String?, amount: Int64) {
            self.currency = currency
            self.amount = amount
        }
    }

    /// Ordered by currency.
    package var entries: [Entry]
    /// The number of amounts that are not known.
    package var unknownCount: Int

    package init(_ entries: [Entry], unknownCount: Int) {
        self.entries = entries.sorted { ($0.currency ?? "") < ($1.currency ?? "") }
        self.unknownCount = unknownCount
    }
}

extension AmountsRow: JSONRepresentable {
    package var json: JSONValue {
        .object(entries.map { JSONValue.Member($0.currency ?? "unknown", .integer($0.amount)) })
    }
}
