import LedgerModel
import PaidService
import Primitives

/// The changes of recurring revenue between two instants, by kind.
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
    package internal(set) var unknownChange = 0

    package init() {}

    mutating func add(from opening: Amounts, to closing: Amounts) {
        self.opening.add(opening)
        self.closing.add(closing)
        unknownChange += closing.unknownCount - opening.unknownCount
    }

    mutating func add(_ kind: Kind, _ amount: Int64, _ currency: Symbol?, isInRetry: Bool) {
        guard amount != 0 else { return }
        changes[kind, default: Amounts()].add(amount, currency)
        guard kind == .churned, isInRetry else { return }
        churnedInRetry.add(amount, currency)
        inRetry += 1
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
