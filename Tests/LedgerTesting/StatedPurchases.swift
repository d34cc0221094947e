package import AppStoreModel
package import LedgerModel
package import Primitives

/// Purchases of one Apple account in one subscription group, and what is signed about them. Days are counted from
/// 2025-01-01 in UTC.
package struct StatedPurchases {
    private var observations: [SubscriptionKey: [Observation]] = [:]
    private var count = 0

    package init() {}

    package static func day(_ number: Int) -> Instant {
        Instant(milliseconds: 1_735_689_600_000 + Int64(number) * Instant.millisecondsPerDay)
    }

    package static func key(_ id: AppleID) -> SubscriptionKey {
        SubscriptionKey(environment: .production, bundle: "app", originalTransaction: id)
    }

    /// The lineages of the account.
    package var lineages: [Lineage] { Lineage.components(of: observations.mapValues { Timeline($0) }) }

    /// States a purchase of a product for 9.99 USD, signed when it begins unless `signed` names a later day.
    package mutating func buy(
        _ id: AppleID, of key: AppleID = "1", _ days: Range<Int>, signed: Int? = nil, rank: SourceRank = .jws,
        _ change: (inout TransactionFact) -> Void = { _ in }
    ) {
        var fact = TransactionFact(transactionId: id)
        (fact.webOrderLineItemId, fact.appTransactionId) = (id, "700")
        (fact.productId, fact.subscriptionGroupIdentifier, fact.type) = ("monthly", "g", .autoRenewable)
        (fact.inAppOwnershipType, fact.price) = (.purchased, TransactionFact.Price(price: 9_990, currency: "USD"))
        fact.transactionReason = id == key ? .purchase : .renewal
        (fact.purchaseDate, fact.expiresDate) = (Self.day(days.lowerBound), Self.day(days.upperBound))
        change(&fact)
        state(.transaction(fact), of: key, Self.day(signed ?? days.lowerBound), rank)
    }

    /// States the renewal of the purchase that ends on a day.
    package mutating func renewal(
        of key: AppleID = "1", endingOn end: Int, signed: Int, _ change: (inout RenewalFact) -> Void = { _ in }
    ) {
        var fact = RenewalFact()
        (fact.productId, fact.autoRenewProductId, fact.autoRenewStatus) = ("monthly", "monthly", .on)
        fact.renewalDate = Self.day(end)
        change(&fact)
        state(.renewal(fact), of: key, Self.day(signed))
    }

    /// States that the renewal of the purchase that ends on a day failed.
    package mutating func failure(of key: AppleID = "1", endingOn end: Int, signed: Int? = nil, graceUntil: Int? = nil)
    {
        renewal(of: key, endingOn: end, signed: signed ?? end) { fact in
            (fact.isInBillingRetryPeriod, fact.expirationIntent) = (true, .billingError)
            fact.gracePeriodExpiresDate = graceUntil.map(Self.day)
        }
    }

    private mutating func state(_ fact: Fact, of key: AppleID, _ signed: Instant, _ rank: SourceRank = .jws) {
        count += 1
        let name = ObservationName(digest: .sha256(of: "\(count)".utf8))
        let source = Source(
            name: name, time: signed, rank: rank, position: Position(count), recordedAt: signed)
        observations[Self.key(key), default: []].append(Observation(source: source, fact: fact))
    }
}
