package import Primitives

/// The rates of a file, which give prices of other currencies in one.
package struct ExchangeRates: Hashable, Sendable {
    /// The version of the file format.
    package static let version = 1

    /// The price of a unit of `currency` on a UTC day.
    package struct Rate: Hashable, Sendable {
        package let day: UTCDay
        package let currency: Symbol
        package let rate: ExchangeRate

        package init(day: UTCDay, currency: Symbol, rate: ExchangeRate) {
            (self.day, self.currency, self.rate) = (day, currency, rate)
        }
    }

    /// The currency of the prices.
    package let currency: Symbol
    package let rates: [Rate]

    package init(currency: Symbol, rates: [Rate]) {
        (self.currency, self.rates) = (currency, rates)
    }
}

/// A day in UTC.
package struct UTCDay: Hashable, Sendable {
    private let number: Int64

    /// The day of an instant.
    package init(of instant: Instant) {
        let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: Instant.millisecondsPerDay)
        number = remainder < 0 ? quotient - 1 : quotient
    }

    /// Reads `YYYY-MM-DD`.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let instant = Instant(iso8601: text) else { return nil }
        self.init(of: instant)
    }

    package var daysSinceEpoch: Int64 { number }

    /// Returns the number of days from an earlier day.
    package func days(since day: UTCDay) -> Int64 { number - day.number }
}

extension UTCDay: Comparable, CustomStringConvertible {
    package static func < (left: UTCDay, right: UTCDay) -> Bool { left.number < right.number }

    package var description: String {
        String(Instant(milliseconds: number * Instant.millisecondsPerDay).iso8601.prefix(10))
    }
}
