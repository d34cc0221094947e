package import PaidService
package import Primitives

extension RevenueSeries {
    /// Calls `body` with the changes in each bucket and cell. They add up: those of several series make the rows of all
    /// their units, but for what is in billing retry.
    package func forEachPart(_ body: (Bucket, RevenueCell, RevenueMovement) throws -> Void) rethrows {
        for (bucket, divided) in changes {
            for (cell, movement) in divided.cells { try body(bucket, cell, movement) }
        }
    }

    /// Adds changes of another series.
    package mutating func add(_ movement: RevenueMovement, to cell: RevenueCell, in bucket: Bucket) {
        changes[bucket, default: DividedMovement()].cells[cell, default: RevenueMovement()].merge(movement)
    }
}

extension RevenueMovement {
    /// The currencies of the changes.
    package var currencies: Set<Symbol?> { Set(changes.values.flatMap { $0.entries.map(\.currency) }) }

    /// Creates changes in one currency.
    package init(_ changes: [Kind: Int64], in currency: Symbol?) {
        self.init()
        for (kind, amount) in changes { add(kind, amount, currency, isInRetry: false) }
    }

    package init(unknownChange: Int) {
        self.init()
        self.unknownChange = unknownChange
    }
}
