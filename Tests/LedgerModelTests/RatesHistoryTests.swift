import LedgerModel
import Primitives
import Testing

@Suite struct `Exchange rates` {
    private static func change(_ position: Position, _ rates: [(String, String, String)]) throws -> RatesChange {
        let rates = try rates.map { day, of, rate in
            ExchangeRates.Rate(
                day: try #require(UTCDay(day)), currency: Symbol(of), rate: try #require(ExchangeRate(rate)))
        }
        return RatesChange(
            ExchangeRates(currency: "USD", rates: rates), digest: .zero, recordedAt: .earliest, position: position)
    }

    private static func history() throws -> RatesHistory {
        RatesHistory([
            try change(4, [("2025-02-28", "EUR", "1.05"), ("2025-03-20", "EUR", "1.0890")]),
            try change(2, [("2025-02-28", "EUR", "1.0411"), ("2025-02-28", "JPY", "0.0067")]),
        ])
    }

    @Test(arguments: [
        ("2025-02-27T23:59:59.999Z", nil), ("2025-02-28T00:00:00Z", "1.05"), ("2025-03-07T23:59:59.999Z", "1.05"),
        ("2025-03-08T00:00:00Z", nil), ("2025-03-19T12:00:00Z", nil), ("2025-03-20T09:00:00Z", "1.0890"),
    ])
    func `are those of the UTC day, else of the newest of the 7 days before`(at: String, expected: String?) throws {
        let rate = try Self.history().rate(
            of: .init(of: "EUR", currency: "USD"), at: try #require(Instant(iso8601: at)))
        #expect(rate?.rate.text == expected)
    }

    @Test func `are replaced by a later event for the same day`() throws {
        let history = try Self.history()
        let day = try #require(Instant(iso8601: "2025-02-28"))
        #expect(history.rate(of: .init(of: "EUR", currency: "USD"), at: day)?.position == 4)
        #expect(history.rate(of: .init(of: "JPY", currency: "USD"), at: day)?.position == 2)
        let earlier = history.known(at: 4).rate(of: .init(of: "EUR", currency: "USD"), at: day)
        #expect(earlier?.rate.text == "1.0411" && earlier?.position == 2)
        #expect(history.rate(of: .init(of: "USD", currency: "EUR"), at: day) == nil)
    }

    @Test func `have a hole where a day has no rate`() throws {
        let first = try #require(UTCDay("2025-02-28"))
        #expect(!RatesHistory.isHole(from: first, to: try #require(UTCDay("2025-03-08"))))
        #expect(RatesHistory.isHole(from: first, to: try #require(UTCDay("2025-03-09"))))
    }

    @Test(arguments: ["1", "1.0352", "0.0067", "123456789012345", "0.5"]) func `are decimals`(text: String) {
        #expect(ExchangeRate(text)?.text == text)
    }

    @Test(arguments: [
        "", "0", "0.0", "-1", "+1", "1.", ".5", "1.2.3", "1e3", "1,5", "1234567890123456", " 1", "\u{661}",
    ])
    func `are nothing else`(text: String) {
        #expect(ExchangeRate(text) == nil)
    }
}
