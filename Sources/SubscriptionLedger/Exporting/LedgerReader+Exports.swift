package import Differences
import EventLog
import FactStore
package import LedgerModel
package import Primitives

/// The coordinates of exports.
extension LedgerReader {
    /// Returns the root of the hash tree over the first events.
    /// - Precondition: `size` is not above the size of the log.
    package func root(ofFirst size: Position) throws -> Digest { try log.root(ofFirst: size) }

    /// Returns the time at which the last of the first events was recorded; the earliest instant for none.
    package func recordedAt(lastOf size: Position) throws -> Instant {
        guard size > 0, let record = try log.record(at: size - 1) else { return .earliest }
        return record.recordedAt
    }

    /// Returns the number of erasures of customers among the first events.
    package func erasureCount(below size: Position) throws -> Int64 {
        Int64(try facts.positions(under: .erasures).count { $0 < size })
    }

    /// Returns the rules with a digest, if they were active at some size up to `size`.
    package func rules(withDigest digest: Digest, knownAt size: Position) throws -> Rules? {
        let history = try activeRules.history(knownAt: size)
        if history.initial.digest == digest { return history.initial }
        return history.activations.last { $0.digest == digest || $0.rules.digest == digest }?.rules
    }

    /// Returns the activations of rules, the changes of catalogues and of exchange rates, and the closes at some
    /// positions, oldest first.
    package func ownEvents(in range: Range<Position>) throws -> ExportedOwnEvents {
        let size = range.upperBound
        let closes = try closes.all(knownAt: size)
        return ExportedOwnEvents(
            activations: try activeRules.history(knownAt: size).activations.filter { range.contains($0.position) },
            catalogs: try appliedCatalogs.all(knownAt: size).filter { range.contains($0.position) },
            rates: try appliedRates.all(knownAt: size).filter { range.contains($0.position) },
            closes: try closes.indices.filter { range.contains(closes[$0].position) }.map { index in
                let earlier = closes[..<index].count { $0.terms.name == closes[index].terms.name }
                return .init(close: closes[index], version: earlier + 1, numbers: try numbers(of: closes[index]))
            })
    }
}

/// The ledger's own events that have tables.
package struct ExportedOwnEvents: Sendable {
    package let activations: [RulesActivation]
    package let catalogs: [CatalogChange]
    package let rates: [RatesChange]
    package let closes: [Close]

    package init(
        activations: [RulesActivation], catalogs: [CatalogChange], rates: [RatesChange], closes: [Close]
    ) {
        (self.activations, self.catalogs, self.rates, self.closes) = (activations, catalogs, rates, closes)
    }

    package struct Close: Sendable {
        package let close: NumbersClose
        /// The number among the closes of the same name, from 1 on.
        package let version: Int
        package let numbers: [NumberCell: Int64]
    }
}
