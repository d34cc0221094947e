import LedgerModel
import PaidService
import Primitives

/// The changes of recurring revenue between two instants, divided by properties of the purchases.
///
/// The numbers of each kind add up to those without the division: the change of a unit counts in one cell, that of the
/// greatest amount after it, or before it when nothing is left. What passes between cells is `moved`.
package struct DividedMovement: Sendable {
    package internal(set) var cells: [RevenueCell: RevenueMovement] = [:]

    package init() {}

    /// Adds the units of some lineages. In each cell and currency, `closing` is `opening` plus the changes.
    /// - Parameters:
    ///   - before: the lineages at the earlier instant; nil if nothing had begun.
    ///   - after: the same lineages at the later instant.
    package mutating func add(_ before: RevenueSnapshot?, _ after: RevenueSnapshot) {
        for id in Set(after.ids).union(before.map { Set($0.ids) } ?? []) {
            let change = UnitChange(from: before?[id] ?? [:], to: after[id])
            for cell in change.cells {
                cells[cell, default: RevenueMovement()].add(
                    from: change.opening[cell] ?? Amounts(), to: change.closing[cell] ?? Amounts())
            }
            for currency in change.currencies {
                let kind = change.kind(in: currency, before?.unit(id), after.unit(id))
                let isInRetry = kind == .churned && after.unit(id)?.isInRetry == true
                for (cell, kind, amount) in change.amounts(of: kind, in: currency) {
                    cells[cell, default: RevenueMovement()].add(kind, amount, currency, isInRetry: isInRetry)
                }
            }
        }
    }

    package mutating func merge(_ other: DividedMovement) {
        for (cell, movement) in other.cells { cells[cell, default: RevenueMovement()].merge(movement) }
    }
}

/// The recurring revenue of one unit before and after.
private struct UnitChange {
    let opening: [RevenueCell: Amounts]
    let closing: [RevenueCell: Amounts]
    private let totals: (opening: Amounts, closing: Amounts)

    init(from opening: [RevenueCell: Amounts], to closing: [RevenueCell: Amounts]) {
        (self.opening, self.closing) = (opening, closing)
        totals = (opening.total, closing.total)
    }

    var cells: Set<RevenueCell> { Set(opening.keys).union(closing.keys) }

    var currencies: Set<Symbol?> { Set((totals.opening.entries + totals.closing.entries).map(\.currency)) }

    private func total(in currency: Symbol?) -> Int64 {
        totals.closing[currency].subtractingReportingOverflow(totals.opening[currency]).partialValue
    }

    /// Returns the kind of the change in a currency; `moved` if only its division changes.
    func kind(
        in currency: Symbol?, _ before: @autoclosure () -> PurchaseUnit?, _ after: @autoclosure () -> PurchaseUnit?
    ) -> RevenueMovement.Kind {
        let (from, to) = (totals.opening[currency], totals.closing[currency])
        if from == to { return .moved }
        if from == 0 {
            return totals.opening.isZero ? RevenueMovement.Kind(returning: before(), after()) : .moved
        }
        if to == 0 { return totals.closing.isZero ? .churned : .moved }
        return to > from ? .expansion : .contraction
    }

    /// Returns the change of each cell, with what moves between cells.
    func amounts(
        of kind: RevenueMovement.Kind, in currency: Symbol?
    ) -> [(cell: RevenueCell, kind: RevenueMovement.Kind, amount: Int64)] {
        let total = total(in: currency)
        let deciding = totals.closing[currency] == 0 ? opening : closing
        let main = cells.max { left, right in
            let (less, more) = (deciding[left]?[currency] ?? 0, deciding[right]?[currency] ?? 0)
            return less == more ? right.precedes(left) : less < more
        }
        return cells.flatMap { cell in
            let (from, to) = (opening[cell]?[currency] ?? 0, closing[cell]?[currency] ?? 0)
            let counted = cell == main ? total : 0
            let change = to.subtractingReportingOverflow(from).partialValue
            return [
                (cell, kind, counted), (cell, .moved, change.subtractingReportingOverflow(counted).partialValue),
            ]
        }
    }
}

extension RevenueCell {
    /// Whether the cell comes before another in a fixed order.
    func precedes(_ other: RevenueCell) -> Bool {
        lexicographicallyPrecedes(other) { ($0 ?? "") < ($1 ?? "") }
    }
}

extension [RevenueCell: Amounts] {
    fileprivate var total: Amounts { values.reduce(into: Amounts()) { $0.add($1) } }
}

extension RevenueMovement.Kind {
    /// Creates the kind of revenue that was 0.
    fileprivate init(returning before: PurchaseUnit?, _ after: @autoclosure () -> PurchaseUnit?) {
        guard let before, before.purchases.contains(where: { $0.isPaid && !$0.isReplacedBeforeStart }) else {
            self = .new
            return
        }
        self = after()?.hasRecovered(since: before.asOf) == true ? .recovered : .reactivated
    }
}

extension PurchaseUnit {
    /// Whether Apple retries a failed charge.
    fileprivate var isInRetry: Bool { openGaps.contains { $0.kind == .retry } }

    /// Whether a renewal that had failed by an instant was recovered after it.
    fileprivate func hasRecovered(since t: Instant) -> Bool {
        purchases.contains { purchase in
            guard let failure = purchase.failure, failure.failedAt <= t, let next = failure.next else { return false }
            return next.isRecovery && t < next.start
        }
    }
}

extension Amounts {
    /// Whether there is none, not even an amount that is not known.
    fileprivate var isZero: Bool { unknownCount == 0 && entries.allSatisfy { $0.amount == 0 } }
}
