import AppStoreModel
import LedgerModel
import Primitives

/// An instant in minutes since 1970. A minute is far more than the second by which joined dates may differ.
func minute(_ number: Int) -> Instant {
    Instant(milliseconds: Int64(number) * 60_000)
}

let key = SubscriptionKey(environment: .production, bundleId: "com.example.app", originalTransactionId: "1")

/// An observation named by its content, like the digest of signed bytes.
func observation(
    _ fact: Fact, signed: Int, rank: SourceRank = .jws, position: Position = 0
) -> Observation {
    let name = ObservationName(digest: .sha256(of: "\(fact) \(signed) \(rank)".utf8))
    let source = Source(
        name: name, time: minute(signed), rank: rank, position: position,
        recordedAt: Instant(milliseconds: Int64(position)))
    return Observation(source: source, fact: fact)
}

/// A transaction over [start, end) minutes. By default each is its own line item.
func transaction(
    _ id: String, _ start: Int, _ end: Int?, signed: Int? = nil, rank: SourceRank = .jws, position: Position = 0,
    _ change: (inout TransactionFact) -> Void = { _ in }
) -> Observation {
    var fact = TransactionFact(transactionId: AppleID(id))
    fact.webOrderLineItemId = AppleID("item-\(id)")
    fact.productId = "monthly"
    fact.type = .autoRenewable
    fact.inAppOwnershipType = .purchased
    fact.purchaseDate = minute(start)
    fact.expiresDate = end.map(minute)
    change(&fact)
    return observation(.transaction(fact), signed: signed ?? start, rank: rank, position: position)
}

func renewalInfo(
    signed: Int, renewalDate: Int?, product: Symbol = "monthly", position: Position = 0,
    _ change: (inout RenewalFact) -> Void = { _ in }
) -> Observation {
    var fact = RenewalFact()
    fact.productId = product
    fact.autoRenewProductId = product
    fact.autoRenewStatus = .on
    fact.renewalDate = renewalDate.map(minute)
    change(&fact)
    return observation(.renewal(fact), signed: signed, position: position)
}

func notification(
    _ type: NotificationType, signed: Int, status: SubscriptionStatusCode? = nil, carrying carried: Observation? = nil,
    renewalInfo: Observation? = nil, position: Position = 0
) -> Observation {
    var fact = NotificationFact()
    fact.notificationType = type
    fact.status = status
    fact.signedTransactionInfo = carried?.source.name.digest
    fact.signedRenewalInfo = renewalInfo?.source.name.digest
    return observation(.notification(fact), signed: signed, position: position)
}

func fold(_ observations: [Observation], key: SubscriptionKey = key) -> Subscription {
    let lineages = Lineage.components(of: [key: Timeline(observations)])
    return lineages[0].subscriptions[0]
}

extension Period {
    /// The period at the last instant, such as `monthly 0..<30 #1`; `~` marks an implied period.
    var text: String {
        let end = end(at: .latest).map { String($0.milliseconds / 60_000) } ?? "∞"
        let identity = transactionId.map { "#\($0)" } ?? "~\(basis)"
        return "\(productId?.text ?? "-") \(start.milliseconds / 60_000)..<\(end) \(identity)"
    }
}
