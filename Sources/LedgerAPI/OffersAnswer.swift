package import Primitives

/// The answer of `offers` and `GET /v1/offers`.
package struct OffersAnswer: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    /// The caller's id of the customer.
    package var id: String
    /// Ordered by bundle id and product id.
    package var offers: [OfferRow]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, id: String, offers: [OfferRow]) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.id = id
        self.offers = offers
    }
}

extension OffersAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            signed.members(asOf: asOf, knownAt: knownAt) + [.init("id", .string(id)), .init("offers", offers.json)])
    }
}

/// The introductory offer of a product for a customer.
package struct OfferRow: Hashable, Sendable {
    /// Nil for a product that is in no catalogue and that the customer never bought, unless the question names an app.
    package var bundleId: String?
    package var productId: String
    package var group: String?
    /// Nil if the facts do not decide it.
    package var eligible: Bool?
    package var reason: String
    package var explanation: String
    /// The purchase that decides.
    package var decidedBy: DecidingTransaction?
    /// Every purchase that used an introductory offer of the group, oldest first; nil if the group is not known.
    package var consumedBy: [DecidingTransaction]?
    /// The introductory offer of the catalogue, for whoever is eligible.
    package var offer: CatalogOfferTerms?
    package var schedule: [ScheduledChargeRow]

    package init(
        bundleId: String?, productId: String, group: String?, eligible: Bool?, reason: String, explanation: String,
        decidedBy: DecidingTransaction?, consumedBy: [DecidingTransaction]?, offer: CatalogOfferTerms?,
        schedule: [ScheduledChargeRow]
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.group = group
        self.eligible = eligible
        self.reason = reason
        self.explanation = explanation
        self.decidedBy = decidedBy
        self.consumedBy = consumedBy
        self.offer = offer
        self.schedule = schedule
    }
}

extension OfferRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "bundleId": JSONValue(bundleId), "productId": .string(productId), "group": JSONValue(group),
            "eligible": eligible.map { .bool($0) } ?? .null, "reason": .string(reason),
            "explanation": .string(explanation), "decidedBy": JSONValue(decidedBy),
            "consumedBy": consumedBy.map(\.json) ?? .null, "offer": JSONValue(offer), "schedule": schedule.json,
        ])
    }
}

/// Whether a customer may get the introductory offer of a product: a row of a customer's answer.
package struct EligibilityRow: Hashable, Sendable {
    package var bundleId: String
    package var productId: String
    package var group: String?
    /// Nil if the facts do not decide it.
    package var eligible: Bool?
    package var reason: String
    /// The purchase that decides.
    package var decidedBy: DecidingTransaction?

    package init(
        bundleId: String, productId: String, group: String?, eligible: Bool?, reason: String,
        decidedBy: DecidingTransaction?
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.group = group
        self.eligible = eligible
        self.reason = reason
        self.decidedBy = decidedBy
    }
}

extension EligibilityRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "bundleId": .string(bundleId), "productId": .string(productId), "group": JSONValue(group),
            "eligible": eligible.map { .bool($0) } ?? .null, "reason": .string(reason),
            "decidedBy": JSONValue(decidedBy),
        ])
    }
}

/// A transaction, and the event that first stated it.
package struct DecidingTransaction: Hashable, Sendable {
    package var transactionId: String?
    package var position: UInt64

    package init(transactionId: String?, position: UInt64) {
        self.transactionId = transactionId
        self.position = position
    }
}

extension DecidingTransaction: JSONRepresentable {
    package var json: JSONValue {
        .object(["transactionId": JSONValue(transactionId), "position": JSONValue(position: position)])
    }
}

/// The terms of an offer in a catalogue.
package struct CatalogOfferTerms: Hashable, Sendable {
    /// freeTrial, payAsYouGo or payUpFront.
    package var payment: String
    /// An ISO 8601 duration.
    package var period: String
    package var periods: Int
    /// Milliunits of one charge; nil if unknown, and for a free trial.
    package var price: Int64?

    package init(payment: String, period: String, periods: Int, price: Int64?) {
        self.payment = payment
        self.period = period
        self.periods = periods
        self.price = price
    }
}

extension CatalogOfferTerms: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "payment": .string(payment), "period": .string(period), "periods": JSONValue(periods),
            "price": JSONValue(price),
        ])
    }
}

/// A charge that the customer would see after subscribing at the instant of the answer.
package struct ScheduledChargeRow: Hashable, Sendable {
    package var from: Instant
    /// The end of the time paid for; nil for the standard price, which repeats.
    package var until: Instant?
    /// freeTrial, payAsYouGo, payUpFront or standard.
    package var payment: String
    /// Milliunits; nil if the price is not known.
    package var price: Int64?
    package var currency: String?

    package init(from: Instant, until: Instant?, payment: String, price: Int64?, currency: String?) {
        self.from = from
        self.until = until
        self.payment = payment
        self.price = price
        self.currency = currency
    }
}

extension ScheduledChargeRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "from": JSONValue(from), "until": JSONValue(until), "payment": .string(payment),
            "price": JSONValue(price), "currency": JSONValue(currency),
        ])
    }
}
