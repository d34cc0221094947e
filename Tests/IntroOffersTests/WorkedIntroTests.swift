import AppStoreModel
import FoundationEssentials
import IntroOffers
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// The cases of `worked/intro.json`, a table worked by hand.
@Suite struct `Eligibility for introductory offers, worked by hand` {
    /// The cases about the flags of receipts, which no source states yet.
    private static let aboutReceiptFlags: Set<String> = ["i13"]

    private static let table: JSONView? = TestEnvironment.worked.flatMap { folder in
        FileManager.default.contents(atPath: folder + "/intro.json").flatMap {
            try? JSONDocument(parsing: Array($0)).root
        }
    }

    private struct Case {
        let view: JSONView
        let groups: [String: String]

        private func instant(_ row: JSONView, _ member: StaticString) throws -> Instant {
            try #require(row[member]?.string.flatMap { Instant(iso8601: $0) })
        }

        /// The transactions of the history, and the renewal infos that say what becomes of the last one.
        func timeline() throws -> Timeline {
            let rows = view["history"]?.elements ?? []
            var observations: [Observation] = []
            for row in rows {
                let (start, end) = (try instant(row, "start"), try instant(row, "end"))
                observations.append(Self.observation(.transaction(try transaction(row, start, end)), start))
                func say(_ signed: Instant, _ change: (inout RenewalFact) -> Void) {
                    var fact = RenewalFact()
                    fact.productId = row["product"]?.string.map { Symbol($0) }
                    fact.autoRenewProductId = fact.productId
                    fact.autoRenewStatus = .on
                    fact.renewalDate = end
                    change(&fact)
                    observations.append(Self.observation(.renewal(fact), signed))
                }
                if let retryUntil = try row["failure"].map({ try instant($0, "retryUntil") }) {
                    say(end) { $0.isInBillingRetryPeriod = true }
                    say(retryUntil) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (false, .billingError) }
                } else if row["autoRenewOff"]?.bool == true
                    || row["transactionId"]?.string == rows.last?["transactionId"]?.string
                {
                    say(start.advanced(byMilliseconds: 1)) { $0.autoRenewStatus = .off }
                }
            }
            return Timeline(observations)
        }

        private func transaction(_ row: JSONView, _ start: Instant, _ end: Instant) throws -> TransactionFact {
            let product = try #require(row["product"]?.string)
            var fact = TransactionFact(transactionId: AppleID(try #require(row["transactionId"]?.string)))
            fact.webOrderLineItemId = fact.transactionId
            fact.productId = Symbol(product)
            fact.subscriptionGroupIdentifier = groups[product].map { Symbol($0) }
            fact.type = .autoRenewable
            fact.inAppOwnershipType = row["ownership"]?.string == "FAMILY_SHARED" ? .familyShared : .purchased
            (fact.purchaseDate, fact.expiresDate) = (start, end)
            if row["reason"]?.string == "RENEWAL" { fact.transactionReason = .renewal }
            let offers: [String: OfferType] = [
                "introductory": .introductory, "promotional": .promotional, "offerCode": .offerCode,
                "winBack": .winBack,
            ]
            let kind = row["offer"]?.string.flatMap { $0.split(separator: "/").first }
            // A trial flag alone is the introductory offer.
            let isTrial = row["flags"]?["is_trial_period"]?.bool == true && row["offer"] == nil
            if let type = kind.map({ offers[String($0)] }) ?? (isTrial ? .introductory : nil) {
                fact.offer = TransactionFact.Offer(
                    offerType: type, offerIdentifier: nil, offerDiscountType: nil, offerPeriod: nil)
            }
            return fact
        }

        private static func observation(_ fact: Fact, _ signed: Instant) -> Observation {
            let name = ObservationName(digest: .sha256(of: "\(fact) \(signed)".utf8))
            return Observation(
                source: Source(name: name, time: signed, rank: .jws, position: 7, recordedAt: signed), fact: fact)
        }

        var key: SubscriptionKey {
            let first = view["history"]?.elements?.first
            // A key that began with a transaction that is not known.
            let id = first?["historyIncomplete"]?.bool == true ? "0" : first?["transactionId"]?.string ?? "none"
            return SubscriptionKey(environment: .production, bundleId: "app", originalTransactionId: id)
        }
    }

    private static func catalog(_ table: JSONView) -> (history: CatalogHistory, groups: [String: String]) {
        var catalog = Catalog(bundleId: "app")
        var groups: [String: String] = [:]
        for group in table["catalog"]?["groups"]?.members ?? [] {
            for id in group.value.elements ?? [] {
                var product = CatalogProduct(id: Symbol(id.string ?? ""), kind: .autoRenewable)
                product.group = Symbol(group.key)
                product.duration = CalendarPeriod(1, .month)
                catalog.products.append(product)
                groups[id.string ?? ""] = group.key
            }
        }
        return (
            CatalogHistory([CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)]), groups
        )
    }

    @Test func `is that of every case`() throws {
        guard let table = Self.table else {
            print("worked tables: absent")
            return
        }
        let (history, groups) = Self.catalog(table)
        let cases = try #require(table["cases"]?.elements)
        #expect(cases.count >= 15)
        for view in cases {
            let id = try #require(view["id"]?.string)
            guard !Self.aboutReceiptFlags.contains(id) else { continue }
            let example = Case(view: view, groups: groups)
            let lineages = Lineage.components(of: [example.key: try example.timeline()])
            for ask in view["ask"]?.elements ?? [] {
                let asOf = try #require(ask["asOf"]?.string.flatMap { Instant(iso8601: $0) })
                let offers = IntroOffers(
                    lineages, namedBy: [example.key], lineages.states(at: asOf, rules: Rules()), at: asOf,
                    rules: Rules().intro, catalogs: ["app": history])
                let answer = offers.eligibility(for: ProductName("app", Symbol(ask["product"]?.string ?? "")))
                let place = Comment(rawValue: "\(id) as of \(asOf)")
                #expect(answer.isEligible == ask["eligible"]?.bool, place)
                #expect(answer.reason.rawValue == ask["reason"]?.string, place)
                #expect(answer.decidedBy?.transactionId?.text == ask["by"]?.string, place)
                if let consumed = ask["consumed"], consumed.isNull {
                    #expect(answer.consumedBy == nil || answer.reason == .groupUnknown, place)
                } else {
                    #expect(answer.consumedBy?.isEmpty == ask["consumed"]?.bool.map { !$0 }, place)
                }
            }
        }
    }
}
