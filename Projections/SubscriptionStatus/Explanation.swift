import AppStoreModel
import LedgerModel
import Primitives

extension StatusContext {
    /// A sentence that explains the decision, with dates, product and price.
    var explanation: String {
        switch decision {
        case .periodCovers: coveringSentence
        case .impliedPeriodCovers: impliedSentence
        case .replaced:
            "\(product) was replaced by another purchase on \(date(period.replacement?.start))."
        case .revoked: revokedSentence
        case .renewalAwaited(let until):
            "The period of \(product) ended on \(date(end)); the renewal is expected by \(minuteOrSecond(until))."
        case .gracePeriod(let until):
            "The renewal of \(product) on \(date(end)) failed; Apple's billing grace period lasts until \(date(until))."
        case .signedGracePeriod(let until):
            "The renewal of \(product) on \(date(end)) failed; Apple signed a grace period without a date, "
                + "which ends on \(date(until)) at the latest."
        case .billingRetry(let until):
            "The renewal of \(product) on \(date(end)) failed; Apple retries the charge until \(date(until))."
                + accessInRetry
        case .inferredBillingRetry(let until):
            "The period of \(product) ended on \(date(end)) and was renewed on \(date(until)): "
                + "Apple retried the charge in between."
        case .periodEnded: expiredSentence
        }
    }

    private var product: String { period.productId?.text ?? "an unknown product" }

    private var coveringSentence: String {
        let detail = Self.detail(of: period)
        guard let end else {
            let verb = period.inAppOwnershipType == .familyShared ? "Shared through Family Sharing since" : "Bought on"
            return "\(verb) \(date(period.start))\(detail)."
        }
        let words =
            switch Reason(active: period) {
            case .freeTrial: "Free trial until"
            case .introOffer: "Introductory offer until"
            case .promotionalOffer: "Promotional offer until"
            case .offerCode: "Offer code until"
            case .winBack: "Win-back offer until"
            case .familyShared: "Shared through Family Sharing until"
            default: "Paid until"
            }
        return "\(words) \(date(end))\(detail)."
    }

    private var impliedSentence: String {
        period.basis == .earlyRenewal
            ? "\(product) is active until \(date(end)): Apple has already signed the renewal that begins then; "
                + "the transaction of this period is unknown."
            : "Entitled to \(product) until \(date(end)): Apple signed renewal information for a purchase "
                + "whose transaction has not been received."
    }

    /// The access that the rules grant in billing retry, beyond Apple's grace period.
    private var accessInRetry: String {
        switch access {
        case .full: " The rules grant \(rules.ownGraceDays) days of grace."
        case .limited: " The rules grant limited access for \(rules.limitedAccessDays) days."
        case .none: ""
        }
    }

    private var revokedSentence: String {
        let revocation = period.revocation(at: t)
        let words =
            switch Reason(revoked: period, by: revocation) {
            case .refunded: "Refunded on"
            case .familyRevoked: "Family Sharing ended on"
            default: "Revoked on"
            }
        return "\(words) \(date(revocation?.start))\(Self.detail(of: period))."
    }

    private var expiredSentence: String {
        let words =
            switch reason {
            case .cancelled: "auto-renew was off"
            case .billingFailed: "the renewal could not be charged"
            case .priceNotAccepted: "the customer did not consent to the price increase"
            case .productUnavailable: "the product was no longer for sale"
            case .other: "Apple gave a reason unknown to this version"
            default: "no renewal is known"
            }
        return "\(product) expired on \(date(end)): \(words)."
    }
}

/// The sentences about a change: refunds of other purchases, then the new state, then a new price. They are made when
/// they are read, since most readers of a history need none. Equal texts make equal explanations.
struct Explanation: Hashable, Sendable {
    private let context: StatusContext
    private let revocations: [(period: Period, revocation: Revocation)]
    /// The consent to a price increase, if the change is about it.
    private let priceIncrease: PriceIncrease?

    init(_ change: Change) {
        context = change.context
        revocations = change.revocations
        priceIncrease = change.to.priceIncrease == change.from?.priceIncrease ? nil : change.to.priceIncrease
    }

    var text: String {
        (refundSentences + [context.explanation] + (priceIncrease.map { [context.sentence(about: $0)] } ?? []))
            .joined(separator: " ")
    }

    static func == (left: Explanation, right: Explanation) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Sentences about refunds of purchases other than the current one.
    private var refundSentences: [String] {
        revocations.filter { $0.period.name != context.period.name }.map { period, revocation in
            let detail = StatusContext.detail(of: period)
            if revocation.end == context.t { return "The refund of another purchase was reversed\(detail)." }
            return
                "Another purchase was \(Reason(revoked: period, by: revocation) == .refunded ? "refunded" : "revoked")\(detail)."
        }
    }
}

extension StatusContext {
    /// Returns the known details of a period: `, pro.monthly, transaction 4100…05, 9.99 USD`.
    fileprivate static func detail(of period: Period) -> String {
        var detail = period.productId.map { ", \($0)" } ?? ""
        if let id = period.transactionId { detail += ", transaction \(abbreviated(id.text))" }
        if let price = period.price { detail += ", " + text(of: price) }
        return detail
    }

    /// Returns a sentence with the price of the next renewal, and with the price that it replaces. The price of an offer
    /// is not the one that increases.
    fileprivate func sentence(about increase: PriceIncrease) -> String {
        let consent =
            switch increase {
            case .pending: "the customer has not consented yet"
            case .accepted: "the customer consented, or need not consent"
            }
        guard let price = renewal?.renewalPrice else { return "The price of the next renewal is higher: \(consent)." }
        let before = period.offer == nil && pendingProductId == nil ? period.price : nil
        let instead = before.map { " instead of \(Self.text(of: $0))" } ?? ""
        return "The next renewal costs \(Self.text(of: price))\(instead): \(consent)."
    }

    /// Returns an amount with its currency, if known.
    private static func text(of price: TransactionFact.Price) -> String {
        [amount(price.price), price.currency?.text].compactMap(\.self).joined(separator: " ")
    }

    private static func abbreviated(_ id: String) -> String {
        id.count > 8 ? "\(id.prefix(4))…\(id.suffix(2))" : id
    }

    /// Returns an amount in milliunits as a decimal number: 9990 is 9.99, 12000 is 12.
    private static func amount(_ milliunits: Int64) -> String {
        let (units, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1_000)
        let sign = milliunits < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(units)" }
        let digits = String(rest + 1_000).dropFirst()
        return "\(sign)\(units).\(digits.hasSuffix("0") ? digits.dropLast() : digits)"
    }

    /// Returns the date, and for a period shorter than two days the time: periods of the sandbox last minutes.
    private func date(_ instant: Instant?) -> String {
        guard isShort, let instant else { return Self.day(instant) }
        return Self.second(instant)
    }

    /// Returns the date and time, precise enough for the length of the period.
    private func minuteOrSecond(_ instant: Instant) -> String {
        isShort ? Self.second(instant) : Self.minute(instant)
    }

    private var isShort: Bool {
        guard let end else { return false }
        return end < period.start.advanced(byDays: 2)
    }

    /// Returns the date in UTC: `2 July 2026`.
    private static func day(_ instant: Instant?) -> String {
        guard let instant else { return "an unknown date" }
        let date = CivilDate(of: instant)
        return "\(date.day) \(months[Int(date.month) - 1]) \(date.year)"
    }

    /// Returns the date and time: `2 July 2026, 11:00 UTC`.
    private static func minute(_ instant: Instant) -> String {
        "\(day(instant)), \(instant.iso8601.dropFirst(11).prefix(5)) UTC"
    }

    /// Returns the date and time with seconds: `2 July 2026, 11:00:07 UTC`.
    private static func second(_ instant: Instant) -> String {
        "\(day(instant)), \(instant.iso8601.dropFirst(11).prefix(8)) UTC"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
