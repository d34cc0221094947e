package import Primitives

/// A movement of money between a customer and Apple, recorded by the act that causes it.
package struct MoneyMovement: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case sale, refund, reversal
        /// Apple gives back the unused rest of a purchase that an upgrade replaces.
        case upgradeCredit
    }

    package let kind: Kind
    package let originalTransactionId: String
    package let transactionId: String
    package let at: Instant
    /// The start of the purchase. Before it, nobody knows of the movement.
    package let saleAt: Instant
    /// Milliunits of `currency`, negative towards the customer; nil for a refund of unknown kind.
    package let amount: Int64?
    package let currency: String
}

/// The sales of one store, and what was given back of each.
struct MoneyBook: Sendable {
    private struct Sale: Sendable {
        let originalTransactionId: String
        let start: Instant
        /// The end without extensions.
        let end: Instant
        let price: Int64
        let currency: String
        /// The amount that an upgrade gave back.
        var credited: Int64 = 0
        var refunded: Int64?
    }

    private(set) var movements: [MoneyMovement] = []
    private var sales: [String: Sale] = [:]

    mutating func sell(_ charge: Charge, under originalTransactionId: String, currency: String) {
        guard let price = charge.price, let end = charge.expiresDate else { return }
        sales[charge.transactionId] = Sale(
            originalTransactionId: originalTransactionId, start: charge.purchaseDate, end: end, price: price,
            currency: currency)
        write(.sale, charge.transactionId, at: charge.purchaseDate, price)
    }

    /// Gives back the unused rest of a replaced charge.
    mutating func credit(_ transactionId: String, at instant: Instant) {
        guard let sale = sales[transactionId], sale.price > 0, sale.refunded == nil, instant < sale.end else { return }
        let unused = sale.end.milliseconds - max(instant, sale.start).milliseconds
        let credit = sale.price.share(unused, of: sale.end.milliseconds - sale.start.milliseconds)
        sales[transactionId]?.credited = credit
        write(.upgradeCredit, transactionId, at: instant, -credit)
    }

    /// - Parameter percentage: the part of the price in milli-percent; nil if nobody knows it.
    mutating func refund(_ transactionId: String, _ percentage: Int64?, at instant: Instant) {
        guard let sale = sales[transactionId] else { return }
        let refund = percentage.map { min(sale.price.share($0, of: 100_000), sale.price - sale.credited) }
        sales[transactionId]?.refunded = refund
        write(.refund, transactionId, at: instant, refund.map { -$0 })
    }

    mutating func reverseRefund(_ transactionId: String, at instant: Instant) {
        guard let sale = sales[transactionId] else { return }
        write(.reversal, transactionId, at: instant, sale.refunded)
        sales[transactionId]?.refunded = nil
    }

    mutating func merge(_ other: MoneyBook) {
        movements += other.movements
        sales.merge(other.sales) { _, _ in preconditionFailure("two stores gave out one transaction id") }
    }

    private mutating func write(
        _ kind: MoneyMovement.Kind, _ transactionId: String, at instant: Instant, _ amount: Int64?
    ) {
        guard let sale = sales[transactionId] else { return }
        movements.append(
            MoneyMovement(
                kind: kind, originalTransactionId: sale.originalTransactionId, transactionId: transactionId,
                at: instant, saleAt: sale.start, amount: amount, currency: sale.currency))
    }
}

extension Int64 {
    /// Returns `self * part / whole`, rounded half to even.
    fileprivate func share(_ part: Int64, of whole: Int64) -> Int64 {
        let (quotient, remainder) = (Int128(self) * Int128(part)).quotientAndRemainder(dividingBy: Int128(whole))
        let double = remainder * 2
        let isUp = double > Int128(whole) || double == Int128(whole) && quotient % 2 == 1
        return Int64(isUp ? quotient + 1 : quotient)
    }
}
