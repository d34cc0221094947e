package import Primitives

/// The answer of `rates show` and `rates apply`.
package struct RatesAnswer: Sendable {
    /// Whether the command applied rates; nil for `show`.
    package var applied: Bool?
    package var knownAt: UInt64
    /// Nil before rates were applied.
    package var newest: RatesEventRow?
    /// Ordered by the currencies.
    package var rates: [RatesRow]

    package init(applied: Bool?, knownAt: UInt64, newest: RatesEventRow?, rates: [RatesRow]) {
        (self.applied, self.knownAt, self.newest, self.rates) = (applied, knownAt, newest, rates)
    }
}

extension RatesAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            (applied.map { [.init("applied", .bool($0))] } ?? []) + [
                .init("knownAt", JSONValue(position: knownAt)), .init("newest", newest?.json ?? .null),
                .init("rates", rates.json),
            ])
    }
}

/// The event that applied rates.
package struct RatesEventRow: Hashable, Sendable {
    /// The SHA-256 of the text of the file.
    package var digest: Digest
    package var position: UInt64
    package var appliedAt: Instant

    package init(digest: Digest, position: UInt64, appliedAt: Instant) {
        (self.digest, self.position, self.appliedAt) = (digest, position, appliedAt)
    }
}

extension RatesEventRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "digest": .string(digest.hex), "position": JSONValue(position: position), "appliedAt": JSONValue(appliedAt),
        ])
    }
}

/// The rates of one currency in another.
package struct RatesRow: Hashable, Sendable {
    package var currency: String
    package var of: String
    /// The number of days with a rate.
    package var days: Int
    package var firstDay: String
    package var lastDay: String
    /// The rate of the last day.
    package var rate: String
    /// The days around each time without a rate: more than 7 days.
    package var holes: [String]

    package init(
        currency: String, of: String, days: Int, firstDay: String, lastDay: String, rate: String, holes: [String]
    ) {
        self.currency = currency
        self.of = of
        self.days = days
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.rate = rate
        self.holes = holes
    }
}

extension RatesRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "currency": .string(currency), "of": .string(of), "days": JSONValue(days), "firstDay": .string(firstDay),
            "lastDay": .string(lastDay), "rate": .string(rate), "holes": .array(holes.map { .string($0) }),
        ])
    }
}
