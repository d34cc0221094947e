import AppStoreModel
import IntroOffers
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

/// The customer of a requested offer, with what decides whether they may get it.
struct OfferedCustomer {
    let bundleId: String
    private let offers: IntroOffers
    private let owned: OwnedSubscriptions
    /// Nil without a catalogue of the app.
    private let catalog: CatalogHistory?
    private let t: Instant

    /// - Parameter apps: the bundle ids of the apps with a key.
    /// - Throws: `customer_id_invalid`; `parameter_invalid` when the app is not clear; `StorageError`.
    init(
        _ request: OfferSignatureRequest, _ reader: LedgerReader, at t: Instant, _ scope: CustomerScope,
        apps: Set<String>
    ) throws {
        var lookup = try CustomerLookup(in: reader)
        let catalogs = try reader.catalogHistories(knownAt: lookup.size).filter {
            scope.contains(bundleId: $0.key.text)
        }
        bundleId = try Self.bundleId(request, catalogs, at: t, apps)
        guard scope.limits.allow(bundleId: bundleId) else { throw CustomerError.appForbidden }
        var scope = scope
        scope.bundleId = bundleId
        let timelines = try lookup.timelines(of: reader.reference(to: request.customerId))
        let rules = try reader.rules(knownAt: lookup.size)
        offers = IntroOffers(of: timelines, at: t, rules: rules, scope: scope, catalogs: catalogs)
        owned = OwnedSubscriptions(of: timelines, at: t, rules: rules, scope: scope)
        catalog = catalogs[Symbol(bundleId)]
        self.t = t
    }

    private static func bundleId(
        _ request: OfferSignatureRequest, _ catalogs: [Symbol: CatalogHistory], at t: Instant, _ apps: Set<String>
    ) throws(CustomerError) -> String {
        if let bundleId = request.bundleId { return bundleId }
        let offering = catalogs.filter { $0.value.product(Symbol(request.productId), at: t) != nil }.map(\.key.text)
        let candidates = offering.isEmpty ? Array(apps) : offering
        guard candidates.count <= 1 else { throw .appUnclear }
        guard let bundleId = candidates.first else { throw .keyNotConfigured }
        return bundleId
    }

    /// - Throws: `offer_unknown`, `offer_ineligible`.
    func check(_ request: OfferSignatureRequest) throws(CustomerError) {
        if let offerId = request.offerId {
            try checkPromotional(request.productId, offerId)
        } else {
            try checkIntroductory(request.productId)
        }
    }

    private func checkPromotional(_ productId: String, _ offerId: String) throws(CustomerError) {
        if let catalog {
            let offers = catalog.product(Symbol(productId), at: t)?.offers ?? []
            guard offers.contains(where: { $0.kind == .promotional && $0.id?.text == offerId }) else {
                throw .offerUnknown(productId, offerId)
            }
        }
        guard bought.contains(where: { $0.key.bundleId == bundleId }) else {
            let shared = owned.subscriptions.lazy.compactMap { $0.periods.last?.transactionId }.first
            throw .offerIneligible(shared == nil ? "neverSubscribed" : "familyShared", shared, position: nil)
        }
    }

    /// The purchases that belong to the customer. Those of refused links only tell which offers the Apple account used.
    private var bought: [AccountPurchase] { offers.purchases.filter { owned.keys.contains($0.key) } }

    private func checkIntroductory(_ productId: String) throws(CustomerError) {
        let eligibility = offers.eligibility(for: ProductName(Symbol(bundleId), Symbol(productId)))
        guard eligibility.isEligible == true else {
            let decidedBy = eligibility.decidedBy
            throw .offerIneligible(
                eligibility.reason.rawValue, decidedBy?.transactionId, position: decidedBy?.position)
        }
    }

    /// Returns an id by which Apple knows the customer.
    /// - Throws: `transaction_unknown` when there is none and Apple requires one.
    func transactionId(for request: OfferSignatureRequest) throws(CustomerError) -> String? {
        let bought = bought.last { $0.key.bundleId == bundleId && $0.transactionId != nil }?.transactionId
        let downloaded = owned.downloads.lazy.compactMap { download in
            if case .appTransaction(let id) = download.account.account { id } else { nil }
        }.first
        let shared = owned.subscriptions.lazy.compactMap { $0.periods.last?.transactionId }.first
        let id = bought ?? downloaded ?? shared
        guard id != nil || request.offerId != nil else { throw .transactionUnknown }
        return id?.text
    }
}

extension CustomerError {
    static let keyNotConfigured = CustomerError(
        .keyNotConfigured, "the app has no key to sign with", expected: "serverAPI of the app in the configuration",
        found: "none")

    fileprivate static let appForbidden = CustomerError(
        .roleForbidden, "the API key is limited to other apps", expected: "an app of the key", found: "another")

    fileprivate static let appUnclear = CustomerError(
        .parameterInvalid, "several apps may be meant", expected: "bundleId", found: "none")

    fileprivate static func offerUnknown(_ productId: String, _ offerId: String) -> CustomerError {
        CustomerError(
            .offerUnknown, "the catalogue has no such promotional offer of the product",
            expected: "a product and a promotional offer of it", found: "product \(productId), offer \(offerId)",
            hint: "Apply a catalogue with the offer, or compare the ids with App Store Connect.")
    }

    fileprivate static let transactionUnknown = CustomerError(
        .transactionUnknown, "no transaction of the customer is known", expected: "an id by which Apple knows them",
        found: "none", hint: "Post the app's signedAppTransaction for the customer first.")

    fileprivate static func offerIneligible(
        _ reason: String, _ transactionId: AppleID?, position: Position?
    ) -> CustomerError {
        var found = reason
        if let transactionId { found += ", transaction \(transactionId.text)" }
        if let position { found += ", event \(position)" }
        return CustomerError(
            .offerIneligible, "the customer is not eligible for the offer",
            expected: "a customer who is eligible for the offer", found: found)
    }

    static let idempotencyKeyReused = CustomerError(
        .idempotencyKeyReused, "the Idempotency-Key belongs to another request", expected: "the same request again",
        found: "other terms", hint: "Send each request with a key of its own.")
}
