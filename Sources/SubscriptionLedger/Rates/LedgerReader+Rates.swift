package import LedgerAPI
import LedgerModel
import Primitives

extension LedgerReader {
    /// Returns what is known of exchange rates.
    /// - Throws: `KnownAtAhead`; `StorageError`.
    package func rates(_ knownAt: AsOfQuery.KnownAt? = nil) throws -> RatesAnswer {
        let size = try knownSize(knownAt)
        let history = try appliedRates.history(knownAt: size)
        let rows = history.rates.map { RatesRow($0, $1) }
        return RatesAnswer(
            applied: nil, knownAt: size, newest: history.newest.map { RatesEventRow($0) },
            rates: rows.sorted { ($0.currency, $0.of) < ($1.currency, $1.of) })
    }
}

extension RatesEventRow {
    fileprivate init(_ change: RatesChange) {
        self.init(digest: change.digest, position: change.position, appliedAt: change.recordedAt)
    }
}

extension RatesRow {
    fileprivate init(_ pair: RatesHistory.Pair, _ rates: [DatedRate]) {
        let holes = zip(rates, rates.dropFirst()).filter { RatesHistory.isHole(from: $0.day, to: $1.day) }
        self.init(
            currency: pair.currency.text, of: pair.of.text, days: rates.count,
            firstDay: rates.first?.day.description ?? "", lastDay: rates.last?.day.description ?? "",
            rate: rates.last?.rate.text ?? "", holes: holes.map { "\($0.day)/\($1.day)" })
    }
}
