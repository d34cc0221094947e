import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus

/// An instant in hours since 1970. A month has thirty days in these tests.
func hour(_ number: Int) -> Instant {
    Instant(milliseconds: Int64(number) * 3_600_000)
}

let day = 24
let month = 30 * day

func key(_ originalTransactionId: String = "1", _ environment: Environment = .production) -> SubscriptionKey {
    SubscriptionKey(
        environment: environment, bundleId: "com.example.app", originalTransactionId: originalTransactionId)
}

/// An observation named by its content, like the digest of signed bytes.
func observation(_ fact: Fact, signed: Instant, position: Position = 0) -> Observation {
    let name = ObservationName(digest: .sha256(of: "\(fact) \(signed)".utf8))
    let source = Source(
        name: name, time: signed, rank: .jws, position: position,
        recordedAt: Instant(milliseconds: Int64(position)))
    return Observation(source: source, fact: fact)
}

/// A purchase of [start, end) hours, by default signed at its start.
func bought(
    _ id: String = "1", _ start: Int = 0, _ end: Int? = month, signed: Int? = nil, position: Position = 0,
    _ change: (inout TransactionFact) -> Void = { _ in }
) -> Observation {
    var fact = TransactionFact(transactionId: AppleID(id))
    fact.webOrderLineItemId = AppleID("item-\(id)")
    fact.productId = "pro"
    fact.type = .autoRenewable
    fact.inAppOwnershipType = .purchased
    fact.purchaseDate = hour(start)
    fact.expiresDate = end.map(hour)
    change(&fact)
    return observation(.transaction(fact), signed: hour(signed ?? start), position: position)
}

/// The renewal info of a subscription that renews by default, signed at hour `signed`.
func info(
    _ signed: Int = 0, _ status: AutoRenewStatus? = .on, renewalDate: Int? = month, position: Position = 0,
    _ change: (inout RenewalFact) -> Void = { _ in }
) -> Observation {
    var fact = RenewalFact()
    fact.productId = "pro"
    fact.autoRenewProductId = "pro"
    fact.autoRenewStatus = status
    fact.renewalDate = renewalDate.map(hour)
    change(&fact)
    return observation(.renewal(fact), signed: hour(signed), position: position)
}

/// The renewal info after a failed charge, with Apple's grace period until hour `graceUntil`.
func failed(_ signed: Int = month, graceUntil: Int? = nil, _ status: AutoRenewStatus = .on) -> Observation {
    info(signed, status) {
        $0.isInBillingRetryPeriod = true
        $0.expirationIntent = .billingError
        $0.gracePeriodExpiresDate = graceUntil.map(hour)
    }
}

func notified(
    _ type: NotificationType, _ subtype: Subtype? = nil, signed: Int, status: SubscriptionStatusCode? = nil,
    transaction: Observation? = nil, renewalInfo: Observation? = nil, position: Position = 0
) -> Observation {
    var fact = NotificationFact()
    fact.notificationType = type
    fact.subtype = subtype
    fact.status = status
    fact.signedTransactionInfo = transaction?.source.name.digest
    fact.signedRenewalInfo = renewalInfo?.source.name.digest
    return observation(.notification(fact), signed: hour(signed), position: position)
}

func refund(
    _ date: Int, _ type: RevocationType? = .refundFull, reason: RevocationReason? = .other
) -> TransactionFact.Revocation {
    var revocation = TransactionFact.Revocation(revocationDate: hour(date))
    revocation.revocationType = type
    revocation.revocationReason = reason
    return revocation
}

func committed(_ status: AutoRenewStatus) -> RenewalFact.Commitment {
    var commitment = RenewalFact.Commitment()
    commitment.commitmentAutoRenewStatus = status
    return commitment
}

func offer(_ type: OfferType?, _ discount: OfferDiscountType? = nil) -> TransactionFact.Offer? {
    .init(offerType: type, offerIdentifier: nil, offerDiscountType: discount, offerPeriod: nil)
}

func state(
    _ observations: [Observation], at t: Instant, _ environment: Environment = .production, rules: Rules = Rules()
) -> SubscriptionState? {
    Lineage.components(of: [key("1", environment): Timeline(observations)]).states(at: t, rules: rules).first
}

func history(_ observations: [Observation], until t: Instant, rules: Rules = Rules()) -> [Transition] {
    let lineages = Lineage.components(of: [key(): Timeline(observations)])
    return lineages.histories(until: t, rules: rules).first?.transitions ?? []
}

extension Rules {
    /// The default rules with changes to access.
    static func access(_ change: (inout Access) -> Void) -> Rules {
        var rules = Rules()
        change(&rules.access)
        return rules
    }
}
