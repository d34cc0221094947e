import LedgerModel
import PaidService
import Primitives

/// The change of a unit's recurring revenue between two instants, by kind.
package struct RevenueMovement: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The first paid purchase.
        case new
        /// Back after a failed renewal, before the subscriber was gone.
        case recovered
        /// Back after the subscriber was gone.
        case reactivated
        case expansion, contraction
        /// No revenue any more.
        case churned
        /// From or to another currency, or a price that is not known.
        case moved
    }

    package private(set) var opening = Amounts()
    package private(set) var closing = Amounts()
    package private(set) var changes: [Kind: Amounts] = [:]
    /// The part of `churned` whose renewal Apple still retries.
    package private(set) var churnedInRetry = Amounts()
    /// The number of units in that part.
    package private(set) var inRetry = 0
    /// The change of the number of purchases whose recurring revenue is not known.
    package private(set) var unknownChange = 0

    package init() {}

    /// Adds the units of some lineages. In each currency, `closing` is `opening` plus the changes.
    /// - Parameters:
    ///   - before: the lineages at the earlier instant; nil if nothing had begun.
    ///   - after: the same lineages at the later instant.
    package mutating func add(_ before: RevenueSnapshot?, _ after: RevenueSnapshot) {
        for id in Set(after.ids).union(before.map { Set($0.ids) } ?? []) {
            let (opening, closing) = (before?[id] ?? Amounts(), after[id])
            self.opening.add(opening)
            self.closing.add(closing)
            unknownChange += closing.unknownCount - opening.unknownCount
            for currency in Set((opening.entries + closing.entries).map(\.currency)) {
                let (from, to) = (opening[currency], closing[currency])
                let change = to.subtractingReportingOverflow(from).partialValue
                guard change != 0 else { continue }
                let kind: Kind
                if from == 0 {
                    kind = opening.isZero ? Kind(returning: before?.unit(id), after.unit(id)) : .moved
                } else if to == 0 {
                    kind = closing.isZero ? .churned : .moved
                } else {
                    kind = change > 0 ? .expansion : .contraction
                }
                changes[kind, default: Amounts()].add(change, currency)
                guard kind == .churned, after.unit(id)?.isInRetry == true else { continue }
                churnedInRetry.add(change, currency)
                inRetry += 1
            }
        }
    }

    package mutating func merge(_ other: RevenueMovement) {
        opening.add(other.opening)
        closing.add(other.closing)
        for (kind, amounts) in other.changes { changes[kind, default: Amounts()].add(amounts) }
        churnedInRetry.add(other.churnedInRetry)
        inRetry += other.inRetry
        unknownChange += other.unknownChange
    }
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
