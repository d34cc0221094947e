import AppStoreModel
package import LedgerModel
package import Primitives

/// The purchases of one subscriber in a table worked by hand, as the facts that would state them.
package struct WorkedPurchases {
    package let key: SubscriptionKey
    package let timeline: Timeline

    /// - Parameters:
    ///   - view: an object with `periods`, and optionally `failures` and `historyIncomplete`.
    ///   - group: the subscription group of every product.
    package init(_ view: JSONView, number: Int, group: Symbol = "group") {
        // A purchase in Sandbox has a key of its own.
        let periods = (view["periods"]?.elements ?? []).filter { $0["environment"]?.string != "Sandbox" }
        let isIncomplete = view["historyIncomplete"]?.bool == true
        key = SubscriptionKey(
            environment: .production, bundleId: "app",
            originalTransactionId: "\(number * 1_000 + (isIncomplete ? 0 : 1))")
        var observations: [Observation] = []
        func observe(_ fact: Fact, _ signed: Instant) {
            let name = ObservationName(digest: .sha256(of: "\(number) \(observations.count) \(fact) \(signed)".utf8))
            observations.append(
                Observation(
                    source: Source(
                        name: name, time: signed, rank: .jws, position: Position(observations.count),
                        recordedAt: signed), fact: fact))
        }
        var previousEnd: Instant?
        for (index, period) in periods.enumerated() {
            var fact = TransactionFact(transactionId: AppleID("\(number * 1_000 + index + 1)"))
            fact.group(group, period, isRenewal: previousEnd == period.instant("start"))
            let end = period.instant("end")
            previousEnd = end
            let replacedAt = period["replacedAt"]?.string.flatMap { Instant(worked: $0) }
            // A renewal may be charged, and replaced, before it begins.
            let signed = min(period.instant("start"), replacedAt?.advanced(byMilliseconds: -1) ?? .latest)
            observe(.transaction(fact), signed)
            if let replacedAt {
                var upgraded = fact
                upgraded.isUpgraded = true
                observe(.transaction(upgraded), replacedAt)
            }
            func say(_ signed: Instant, _ change: (inout RenewalFact) -> Void) {
                var renewal = RenewalFact()
                (renewal.productId, renewal.autoRenewProductId) = (fact.productId, fact.productId)
                (renewal.autoRenewStatus, renewal.renewalDate) = (.on, end)
                change(&renewal)
                observe(.renewal(renewal), signed)
            }
            let failures = (view["failures"]?.elements ?? []) + (period["failure"].map { [$0] } ?? [])
            let failure = failures.first { $0["end"]?.string.map { $0 == period["end"]?.string } ?? true }
            if let failure {
                say(end) {
                    $0.isInBillingRetryPeriod = true
                    $0.gracePeriodExpiresDate = failure["graceUntil"]?.string.flatMap { Instant(worked: $0) }
                }
            } else {
                say(signed.advanced(byMilliseconds: 1)) { $0.autoRenewStatus = .off }
            }
            guard let refund = period["refund"] else { continue }
            var refunded = fact
            refunded.refund(refund)
            observe(.transaction(refunded), refund.instant("at"))
            if refund["reversedAt"] != nil { observe(.transaction(fact), refund.instant("reversedAt")) }
        }
        timeline = Timeline(observations)
    }
}

extension TransactionFact {
    fileprivate mutating func group(_ group: Symbol, _ period: JSONView, isRenewal: Bool) {
        (webOrderLineItemId, subscriptionGroupIdentifier) = (transactionId, group)
        productId = period["product"]?.string.map { Symbol($0) }
        type = .autoRenewable
        inAppOwnershipType = period["ownership"]?.string == "FAMILY_SHARED" ? .familyShared : .purchased
        (purchaseDate, expiresDate) = (period.instant("start"), period.instant("end"))
        transactionReason = isRenewal || period["recovers"]?.bool == true ? .renewal : .purchase
        let currency = period["currency"].map { $0.string } ?? "USD"
        price = period["price"]?.integer.map { Price(price: $0, currency: currency.map { Symbol($0) }) }
        guard let offer = period["offer"]?.string?.split(separator: "/"), offer.count == 2 else { return }
        let types: [String: OfferType] = ["introductory": .introductory, "promotional": .promotional]
        let terms: [String: OfferDiscountType] = [
            "freeTrial": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
        ]
        self.offer = Offer(
            offerType: types[String(offer[0])], offerIdentifier: nil, offerDiscountType: terms[String(offer[1])],
            offerPeriod: period["offerPeriod"]?.string.map { Symbol($0) })
    }

    fileprivate mutating func refund(_ refund: JSONView) {
        var revocation = Revocation(revocationDate: refund.instant("at"))
        revocation.revocationType = refund["kind"]?.string == "prorated" ? .refundProrated : .refundFull
        revocation.revocationPercentage = refund["percentage"]?.integer
        self.revocation = revocation
    }
}

extension JSONView {
    /// The instant of a member.
    package func instant(_ member: StaticString) -> Instant {
        self[member]?.string.flatMap { Instant(worked: $0) } ?? .earliest
    }
}

extension Instant {
    /// Creates an instant from a text with or without seconds.
    package init?(worked text: String) {
        self.init(iso8601: text.count == 17 ? text.replacing("Z", with: ":00Z") : text)
    }
}

extension Catalog {
    /// The catalogue of an object of products and durations.
    package init(worked view: JSONView?, group: Symbol = "group") {
        self.init(bundleId: "app")
        for (name, duration) in (view?.members ?? []).map({ ($0.key, $0.value) }) {
            var product = CatalogProduct(id: Symbol(name), kind: .autoRenewable)
            product.group = group
            product.duration = duration.string.flatMap { CalendarPeriod($0) }
            products.append(product)
        }
    }
}
