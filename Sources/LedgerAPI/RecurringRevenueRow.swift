package import Primitives

/// The recurring revenue of a calendar bucket in one currency, in milliunits. `closing` is `opening` plus the changes.
package struct RecurringRevenueRow: Hashable, Sendable {
    package var period: String
    package var currency: String?
    package var opening: Int64
    /// Every kind of change, in the order of the answer.
    package var changes: [Change]
    /// The part of `churned` whose renewal Apple still retries.
    package var churnedInRetry: Int64
    package var closing: Int64
    /// The purchases at the end whose recurring revenue is not known; in the row without a currency.
    package var unknownPrice: Int

    package struct Change: Hashable, Sendable {
        package var kind: String
        package var amount: Int64

        package init(kind: String, amount: Int64) {
            self.kind = kind
            self.amount = amount
        }
    }

    package init(
        period: String, currency: String?, opening: Int64, changes: [Change], churnedInRetry: Int64, closing: Int64,
        unknownPrice: Int
    ) {
        self.period = period
        self.currency = currency
        self.opening = opening
        self.changes = changes
        self.churnedInRetry = churnedInRetry
        self.closing = closing
        self.unknownPrice = unknownPrice
    }
}

extension RecurringRevenueRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            [
                .init("period", .string(period)), .init("currency", JSONValue(currency)),
                .init("opening", .integer(opening)),
            ] + changes.map { .init($0.kind, .integer($0.amount)) } + [
                .init("churnedInRetry", .integer(churnedInRetry)), .init("closing", .integer(closing)),
                .init("unknownPrice", .integer(Int64(unknownPrice))),
            ])
    }
}
