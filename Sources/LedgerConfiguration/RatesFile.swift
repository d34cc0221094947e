package import LedgerModel
import LedgerStorage
import Primitives

/// A file of exchange rates, read as a whole.
package struct RatesFile: Sendable {
    package let text: String
    package let rates: ExchangeRates

    /// Reads a file of at most 1 MiB.
    /// - Throws: `ConfigurationError` `rates_invalid`, with line and column for text that is not YAML, for unknown keys
    ///   and for bad values; without them for a file that cannot be read or that changed while it was read.
    package init(path: String) throws {
        let text: String
        do {
            text = try YAMLValue.text(of: path)
        } catch let failure as InputFailure {
            throw ConfigurationError(path, "the rates cannot be read", found: failure.reason, code: .ratesInvalid)
        } catch let error as ConfigurationError {
            throw ConfigurationError(.ratesInvalid, error.place, error.diagnosis)
        }
        try self.init(text: text, name: path)
    }

    /// - Parameter name: the name of the text in errors.
    /// - Throws: `rates_invalid` with line and column.
    package init(text: String, name: String) throws(ConfigurationError) {
        self.text = text
        do throws(ConfigurationError) {
            guard let node = try YAMLValue.parse(text, name) else {
                throw ConfigurationError(
                    name, "the file of rates is empty", expected: "version, currency and rates", found: "nothing")
            }
            rates = try ExchangeRates(YAMLValue(node: node, name: "", file: name))
        } catch {
            throw ConfigurationError(.ratesInvalid, error.place, error.diagnosis)
        }
    }
}

extension ExchangeRates {
    fileprivate init(_ root: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(root)
        _ = try members.require("version").integer(in: Self.version...Self.version)
        let currency = try members.require("currency").currency()
        var rates: [Rate] = []
        var days: Set<[String]> = []
        for element in try members.require("rates").elements() {
            let rate = try Rate(element, in: currency)
            guard days.insert([rate.day.description, rate.currency.text]).inserted else {
                throw element.unexpected("each currency once a day")
            }
            rates.append(rate)
        }
        try members.finish()
        self.init(currency: currency, rates: rates)
    }
}

extension ExchangeRates.Rate {
    fileprivate init(_ value: YAMLValue, in currency: Symbol) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        let day = try members.require("day")
        let of = try members.require("of")
        let rate = try members.require("rate")
        guard let read = UTCDay(try day.text()) else { throw day.unexpected("a day, such as 2026-01-02") }
        guard try of.currency() != currency else { throw of.unexpected("another currency than \(currency.text)") }
        guard let price = ExchangeRate(try rate.text()) else { throw rate.unexpected(ExchangeRate.form) }
        self.init(day: read, currency: try of.currency(), rate: price)
        try members.finish()
    }
}

extension YAMLValue {
    fileprivate func currency() throws(ConfigurationError) -> Symbol {
        let code = try symbol()
        guard code.isCurrencyCode else { throw unexpected("a currency code of ISO 4217, such as EUR") }
        return code
    }
}
