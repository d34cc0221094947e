package import Primitives

/// The exchange rate of an amount in a reporting currency.
package struct ExchangeRow: Hashable, Sendable {
    /// The currency of the sale; nil where the price has none.
    package var of: String?
    /// Nil, as are the day and the position, when the rate is not known.
    package var rate: String?
    package var day: String?
    /// The position of the event that states the rate.
    package var position: UInt64?

    package init(of: String?, rate: String?, day: String?, position: UInt64?) {
        self.of = of
        self.rate = rate
        self.day = day
        self.position = position
    }
}

extension ExchangeRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "of": JSONValue(of), "rate": JSONValue(rate), "day": JSONValue(day),
            "position": position.map { JSONValue(position: $0) } ?? .null,
        ])
    }
}

/// The exchange rates of one currency in a sum.
package struct ExchangeSpanRow: Hashable, Sendable {
    package var of: String
    /// The number of movements in the currency.
    package var movements: Int
    /// The earliest day of a rate.
    package var firstDay: String
    package var lastDay: String

    package init(of: String, movements: Int, firstDay: String, lastDay: String) {
        self.of = of
        self.movements = movements
        self.firstDay = firstDay
        self.lastDay = lastDay
    }
}

extension ExchangeSpanRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "of": .string(of), "movements": JSONValue(movements), "firstDay": .string(firstDay),
            "lastDay": .string(lastDay),
        ])
    }
}
