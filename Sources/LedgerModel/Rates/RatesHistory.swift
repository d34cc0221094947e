package import Primitives

/// An event that adds exchange rates.
package struct RatesChange: Hashable, Sendable {
    package let rates: ExchangeRates
    /// The SHA-256 of the text of the file.
    package let digest: Digest
    package let recordedAt: Instant
    package let position: Position

    package init(_ rates: ExchangeRates, digest: Digest, recordedAt: Instant, position: Position) {
        (self.rates, self.digest, self.recordedAt, self.position) = (rates, digest, recordedAt, position)
    }
}

/// A rate with its day and the event that states it.
package struct DatedRate: Hashable, Sendable {
    package let rate: ExchangeRate
    package let day: UTCDay
    package let position: Position
}

/// All exchange rates that were applied. A later rate of the same currencies and day replaces an earlier one.
package struct RatesHistory: Hashable, Sendable {
    /// A price of a currency in another.
    package struct Pair: Hashable, Sendable {
        package let of: Symbol
        package let currency: Symbol

        package init(of: Symbol, currency: Symbol) {
            (self.of, self.currency) = (of, currency)
        }
    }

    /// How old a rate may be.
    private static let daysLimit: Int64 = 7

    /// Ordered by position.
    package let changes: [RatesChange]
    /// The rates by day, ascending.
    package let rates: [Pair: [DatedRate]]

    /// - Parameter changes: in any order, each once.
    package init(_ changes: [RatesChange] = []) {
        self.changes = changes.sorted { $0.position < $1.position }
        var rates: [Pair: [UTCDay: DatedRate]] = [:]
        for change in self.changes {
            for rate in change.rates.rates {
                let pair = Pair(of: rate.currency, currency: change.rates.currency)
                rates[pair, default: [:]][rate.day] = DatedRate(
                    rate: rate.rate, day: rate.day, position: change.position)
            }
        }
        self.rates = rates.mapValues { days in days.values.sorted { $0.day < $1.day } }
    }

    /// Returns the rates among the first `size` events.
    package func known(at size: Position) -> RatesHistory { RatesHistory(changes.filter { $0.position < size }) }

    /// The newest change; nil before the first one.
    package var newest: RatesChange? { changes.last }

    /// Whether every rate of a file is the one in effect.
    package func contains(_ file: ExchangeRates) -> Bool {
        file.rates.allSatisfy { rate in
            let days = rates[Pair(of: rate.currency, currency: file.currency)] ?? []
            return days.contains { $0.day == rate.day && $0.rate == rate.rate }
        }
    }

    /// Whether days between two rates have none.
    package static func isHole(from day: UTCDay, to next: UTCDay) -> Bool { next.days(since: day) > daysLimit + 1 }

    /// Returns the rate of the UTC day of an instant, else the newest of the 7 days before; nil without one.
    /// - Complexity: O(log n) for n days.
    package func rate(of pair: Pair, at instant: Instant) -> DatedRate? {
        guard let days = rates[pair] else { return nil }
        let day = UTCDay(of: instant)
        guard let newest = days[..<days.partitioningIndex { day < $0.day }].last,
            day.days(since: newest.day) <= Self.daysLimit
        else { return nil }
        return newest
    }
}
