import AppStoreModel
import EventLog
import IntroOffers
package import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

extension LedgerReader {
    /// Returns which introductory offers a customer may get, and why: for one product, or for every product of the
    /// catalogues and those that the customer bought.
    ///
    /// Apple signs no such eligibility. The answer follows from the purchases of the customer's Apple accounts that the
    /// ledger knows, also those that were posted for the customer and belong to another: Apple looks at the account,
    /// whoever owns the purchase here.
    /// - Parameter product: the only product in the answer.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    package func offers(
        forCustomer externalId: String, product: String? = nil, _ question: AsOfQuery,
        scope: CustomerScope = CustomerScope()
    ) throws -> OffersAnswer {
        let size = try knownSize(question.knownAt)
        var lookup = CustomerLookup(in: self, question, size: size)
        let timelines = try lookup.timelines(of: reference(to: externalId))
        let rules = try rules(for: question, knownAt: size)
        let catalogs = try catalogHistories(knownAt: size).filter { scope.contains(bundleId: $0.key.text) }
        let offers = IntroOffers(of: timelines, at: question.asOf, rules: rules, scope: scope, catalogs: catalogs)
        func answer(_ rows: [OfferRow]) -> OffersAnswer {
            var answer = OffersAnswer(asOf: question.asOf, knownAt: size, id: externalId, offers: rows)
            answer.signed = question.signed(later: timelines?.countSignedLater(in: scope))
            return answer
        }
        var names = offers.products
        if let product {
            names = names.filter { $0.productId.text == product }
            // A product that nobody knows is answered too: nobody knows its group either.
            guard !names.isEmpty else {
                let row = OfferRow(unknown: product, scope)
                return answer([row])
            }
        }
        return answer(names.map { OfferRow(offers, $0) })
    }
}

extension IntroOffers {
    /// - Parameters:
    ///   - timelines: nil for an unused id.
    ///   - catalogs: the catalogues of the apps in the scope.
    init(
        of timelines: CustomerTimelines?, at t: Instant, rules: Rules, scope: CustomerScope,
        catalogs: [Symbol: CatalogHistory]
    ) {
        let timelines = timelines?.typed(by: catalogs)
        let owned = OwnedSubscriptions(of: timelines, at: t, rules: rules, scope: scope)
        self.init(
            of: timelines, owned, owned.lineages.states(at: t, rules: rules), at: t, rules: rules.intro, scope: scope,
            catalogs: catalogs)
    }

    /// - Parameter states: the rows of all lineages of `owned` at `t`.
    init(
        of timelines: CustomerTimelines?, _ owned: OwnedSubscriptions, _ states: [SubscriptionState], at t: Instant,
        rules: Rules.Intro, scope: CustomerScope, catalogs: [Symbol: CatalogHistory]
    ) {
        self.init(
            owned.lineages, namedBy: owned.keys.union(timelines?.keysPosted(in: scope) ?? []),
            downloads: timelines?.downloadsPosted(in: scope) ?? [], states, at: t, rules: rules, catalogs: catalogs)
    }
}

extension CustomerTimelines {
    /// The keys that were posted for the owner, also those that belong to another customer.
    fileprivate func keysPosted(in scope: CustomerScope) -> Set<SubscriptionKey> {
        evidence.reduce(into: []) { keys, evidence in
            guard scope.contains(evidence.key) else { return }
            let isPosted = (evidence.claims + evidence.refusedClaims).contains { claim in
                .customer(directory.customer(of: claim.customer)) == owner
            }
            if isPosted { keys.insert(evidence.key) }
        }
    }
}

extension CustomerTimelines {
    /// The downloads whose app transactions were posted for the owner.
    fileprivate func downloadsPosted(in scope: CustomerScope) -> Set<AppAccountKey> {
        Set(
            downloads.filter { download in
                scope.contains(download.account)
                    && download.claims.contains { .customer(directory.customer(of: $0.customer)) == owner }
            }
            .map(\.account))
    }
}

extension EligibilityRow {
    init(_ eligibility: IntroEligibility, of name: ProductName, _ group: SubscriptionGroup?) {
        self.init(
            bundleId: name.bundleId.text, productId: name.productId.text, group: group?.id.text,
            eligible: eligibility.isEligible, reason: eligibility.reason.rawValue,
            decidedBy: eligibility.decidedBy.map { DecidingTransaction($0) })
    }
}

extension OfferRow {
    fileprivate init(_ offers: IntroOffers, _ name: ProductName) {
        let eligibility = offers.eligibility(for: name)
        self.init(
            bundleId: name.bundleId.text, productId: name.productId.text, group: offers.group(of: name)?.id.text,
            eligible: eligibility.isEligible, reason: eligibility.reason.rawValue,
            explanation: eligibility.explanation, decidedBy: eligibility.decidedBy.map { DecidingTransaction($0) },
            consumedBy: eligibility.consumedBy?.map { DecidingTransaction($0) },
            offer: offers.introductoryOffer(of: name).map { CatalogOfferTerms($0) },
            schedule: offers.schedule(of: name, eligibility).map { ScheduledChargeRow($0) })
    }

    fileprivate init(unknown product: String, _ scope: CustomerScope) {
        let eligibility = IntroEligibility.unknownProduct
        self.init(
            bundleId: scope.bundleId, productId: product, group: nil, eligible: eligibility.isEligible,
            reason: eligibility.reason.rawValue, explanation: eligibility.explanation, decidedBy: nil,
            consumedBy: nil, offer: nil, schedule: [])
    }
}

extension DecidingTransaction {
    fileprivate init(_ purchase: AccountPurchase) {
        self.init(transactionId: purchase.transactionId?.text, position: purchase.position)
    }
}

extension CatalogOfferTerms {
    fileprivate init(_ offer: CatalogOffer) {
        self.init(
            payment: offer.payment.rawValue, period: offer.period.description, periods: offer.periods,
            price: offer.priceMilliunits)
    }
}

extension ScheduledChargeRow {
    fileprivate init(_ charge: ScheduledCharge) {
        self.init(
            from: charge.from, until: charge.until, payment: charge.payment.rawValue, price: charge.price,
            currency: charge.currency?.text)
    }
}
