import LedgerConfiguration
import LedgerModel
import Primitives
import Testing

@Suite struct `A file of exchange rates` {
    private static let text = """
        version: 1
        currency: USD
        rates:
          - {day: 2026-01-02, of: EUR, rate: "1.0352"}
          - {day: 2026-01-03, of: EUR, rate: 1}
          - {day: 2026-01-02, of: JPY, rate: "0.0063"}
        """

    @Test func `has prices of other currencies by day`() throws {
        let rates = try RatesFile(text: Self.text, name: "f").rates
        #expect(rates.currency == "USD")
        #expect(
            rates.rates.map { "\($0.day) \($0.currency.text) \($0.rate.text)" } == [
                "2026-01-02 EUR 1.0352", "2026-01-03 EUR 1", "2026-01-02 JPY 0.0063",
            ])
    }

    @Test(arguments: [
        ("currency: USD", "currency: DOLLAR", "f:2:11"), ("of: JPY", "of: XXQ", "f:6:27"),
        ("of: JPY", "of: USD", "f:6:27"), ("of: JPY", "of: EUR", "f:6:5"), ("2026-01-03", "2026-02-30", "f:5:11"),
        ("2026-01-03", "\"2026-01-03T00:00Z\"", "f:5:11"), ("rate: 1}", "rate: 0}", "f:5:38"),
        ("rate: 1}", "rate: one}", "f:5:38"), ("rate: 1}", "rate: 1, by: me}", "f:5:41"),
        ("version: 1", "version: 2", "f:1:10"), ("currency: USD\n", "", "f:1:1"),
    ])
    func `with a bad value is refused with its place`(old: String, new: String, place: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try RatesFile(text: Self.text.replacing(old, with: new), name: "f")
        }
        #expect(error.diagnosis.code == "rates_invalid" && error.place == place, "\(error.diagnosis)")
    }

    @Test(arguments: ["", "# nothing", "rates: []", "version: 1\ncurrency: USD"])
    func `is complete`(text: String) {
        #expect(throws: ConfigurationError.self) { try RatesFile(text: text, name: "f") }
    }
}
