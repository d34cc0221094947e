package import AppStoreModel
package import LedgerModel
package import PaidService
package import Primitives

/// A movement of money between a subscriber and Apple, before taxes and commission.
package struct Charge: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case sale, refund
        /// Apple took a refund back.
        case reversal
        /// The unused rest of a purchase that an upgrade replaced. Apple signs no such amount.
        case upgradeCredit
    }

    package let kind: Kind
    package let key: SubscriptionKey
    package let transactionId: AppleID?
    /// The time of the movement.
    package let at: Instant
    /// The start of the purchase that the movement is about.
    package let saleAt: Instant
    /// Milliunits of `currency`, negative towards the subscriber; nil if not known.
    package let amount: Int64?
    package let currency: Symbol?
    /// Nil for an amount in the currency of the sale.
    package let exchange: Exchange?
    /// The position of the event that first states the movement.
    package let position: Position

    /// Whether the amount follows from a rule and not from Apple's statement.
    package var isInferred: Bool { kind == .upgradeCredit }

    /// Whether only the exchange rate of the amount is not known.
    package var lacksRate: Bool { exchange.map { $0.rate == nil } ?? false }
}

extension PurchaseUnit {
    /// The movements of all purchases, oldest purchase first.
    package var charges: [Charge] { charges(in: nil) }

    /// - Parameter reporting: the currency of the amounts; nil for that of each sale.
    package func charges(in reporting: ReportingCurrency?) -> [Charge] {
        purchases.flatMap { $0.charges(in: reporting) }
    }
}

extension SubscriptionPurchase {
    /// The sale, then what was given back and taken again, by time.
    /// - Parameter reporting: the currency of the amounts; nil for that of the sale. Refunds and credits have the rate of
    ///   the sale, so a refund in full leaves nothing.
    package func charges(in reporting: ReportingCurrency?) -> [Charge] {
        let price = ConvertedPrice(self, reporting)
        func charge(_ kind: Charge.Kind, at instant: Instant, _ amount: Int64?, _ position: Position) -> Charge {
            Charge(
                kind: kind, key: key, transactionId: transactionId, at: instant, saleAt: start, amount: amount,
                currency: price.currency, exchange: price.exchange, position: position)
        }
        var charges = [charge(.sale, at: start, price.price, position)]
        let credit = upgradeCredit(of: price)
        if let credit { charges.append(charge(.upgradeCredit, at: credit.at, credit.amount.map { -$0 }, position)) }
        var refunded: Int64? = 0
        for refund in refunds {
            // Amounts already given back by an upgrade or an earlier refund are not refunded again.
            let credited = credit.map { $0.at <= refund.start ? $0.amount : 0 } ?? 0
            let amount = refund.amount(of: price, credited: credited, refunded: refunded)
            charges.append(charge(.refund, at: refund.start, amount.map { -$0 }, refund.position))
            guard let reversal = refund.reversal else {
                refunded = refunded.flatMap { before in amount.map { before + $0 } }
                continue
            }
            charges.append(charge(.reversal, at: reversal.at, amount, reversal.position))
        }
        return charges
    }

    /// The price of the unused rest when another purchase of the key took its place. Nothing if the purchase was
    /// revoked by then or was free.
    private func upgradeCredit(of price: ConvertedPrice) -> (at: Instant, amount: Int64?)? {
        guard isUpgraded, let replacedAt, max(replacedAt, start) < statedEnd, payment != .free,
            !revocations.contains(where: { $0.covers(replacedAt) })
        else { return nil }
        // Both are positive: the purchase ends after it starts, and after it is replaced.
        let unused = statedEnd.milliseconds - max(replacedAt, start).milliseconds
        let total = statedEnd.milliseconds - start.milliseconds
        return (replacedAt, price.part(Fraction(UInt64(unused), over: UInt64(total))))
    }
}

/// A refund, which several copies of a transaction may state.
private struct Refund {
    let start: Instant
    let position: Position
    var isFull: Bool
    /// In thousandths of a percent; nil if not known.
    var percentage: Int64?
    var reversal: (at: Instant, position: Position)?

    init(_ revocation: Revocation) {
        (start, position) = (revocation.start, revocation.source.position)
        isFull = revocation.isFullRefund
        percentage = Self.percentage(revocation)
        reversal = Self.reversal(revocation)
    }

    /// Adds a later statement of the same refund.
    mutating func restate(_ revocation: Revocation) {
        isFull = revocation.isFullRefund
        percentage = Self.percentage(revocation)
        reversal = Self.reversal(revocation)
    }

    /// Returns what the refund gives back: less by what an upgrade gave back, and at most what is left.
    /// - Parameters:
    ///   - credited: what an upgrade gave back before; nil if not known.
    ///   - refunded: what earlier refunds gave back; nil if not known.
    func amount(of price: ConvertedPrice, credited: Int64?, refunded: Int64?) -> Int64? {
        guard let whole = price.price, let credited, let refunded else { return nil }
        let part = isFull ? whole : percentage.flatMap { price.part(Fraction(UInt64($0), over: 100_000)) }
        return part.map { part in
            let less = isFull ? part.subtractingClamped(refunded) : part
            return max(
                0,
                min(less.subtractingClamped(credited), whole.subtractingClamped(credited).subtractingClamped(refunded)))
        }
    }

    private static func percentage(_ revocation: Revocation) -> Int64? {
        guard revocation.statement?.revocationType == .refundProrated,
            let percentage = revocation.statement?.revocationPercentage, (0...100_000).contains(percentage)
        else { return nil }
        return percentage
    }

    private static func reversal(_ revocation: Revocation) -> (at: Instant, position: Position)? {
        guard let end = revocation.end, let source = revocation.reversal else { return nil }
        return (end, source.position)
    }
}

extension SubscriptionPurchase {
    /// The refunds by time. A status that Apple signs alone states no refund. Statements of one revocationDate that no
    /// reversal parts are one refund.
    private var refunds: [Refund] {
        var refunds: [Refund] = []
        let stated = revocations.filter { $0.statement != nil && $0.statement?.revocationType != .familyRevoke }
        for revocation in stated.sorted(by: { ($0.start, $0.source.time) < ($1.start, $1.source.time) }) {
            let last = refunds.last
            if let last, last.start == revocation.start, last.reversal.map({ revocation.source.time < $0.at }) ?? true {
                refunds[refunds.count - 1].restate(revocation)
            } else {
                refunds.append(Refund(revocation))
            }
        }
        return refunds.compactMap { refund in
            var refund = refund
            // A reversal after the instant in question has not happened yet.
            if let reversal = refund.reversal, reversal.at > asOf { refund.reversal = nil }
            return refund
        }
    }
}
