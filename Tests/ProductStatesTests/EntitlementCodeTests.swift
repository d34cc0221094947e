import AppStoreModel
import FoundationEssentials
import LedgerModel
import LedgerTesting
import Primitives
import ProductStates
import SubscriptionStatus
import Testing

/// The outputs of Apple's sample for answers of verifyReceipt, recorded in `entitlement-engine/`.
@Suite struct `The entitlement codes of WWDC 2020` {
    /// Our codes where they differ from the sample, by file and instant: a refund counts from its cancellation_date on.
    private static let deviations: [String: [Int64: Double]] = [
        "monza-cancellation.expected.json": [1_466_127_147_000: 5.1, 1_466_127_149_000: -5.1]
    ]

    /// Returns a fixture; nil if it is absent.
    private static func document(_ path: String) throws -> JSONView? {
        guard let folder = TestEnvironment.fixtures,
            let bytes = FileManager.default.contents(atPath: folder + "/" + path)
        else { return nil }
        return try JSONDocument(parsing: Array(bytes)).root
    }

    /// The facts that an answer of verifyReceipt states about each original transaction id.
    private struct Answer {
        let root: JSONView
        private let time: Instant

        init(_ root: JSONView) {
            self.root = root
            // An answer of before 2016 has no request_date.
            time =
                Self.instant(root["receipt"], "request_date_ms")
                ?? (root["latest_receipt_info"]?.elements ?? []).compactMap { Self.instant($0, "purchase_date_ms") }
                .max()
                ?? .earliest
        }

        private static func text(_ row: JSONView?, _ name: StaticString) -> String? {
            guard let value = row?[name] else { return nil }
            return value.string ?? value.integer.map { "\($0)" }
        }

        private static func instant(_ row: JSONView?, _ name: StaticString) -> Instant? {
            text(row, name).flatMap { Int64($0) }.map { Instant(milliseconds: $0) }
        }

        private static func isTrue(_ row: JSONView, _ name: StaticString) -> Bool {
            row[name]?.bool == true || text(row, name) == "true"
        }

        private func transaction(_ row: JSONView) -> TransactionFact? {
            guard let id = Self.text(row, "transaction_id"), let start = Self.instant(row, "purchase_date_ms"),
                let end = Self.instant(row, "expires_date_ms") ?? Self.instant(row, "expires_date")
            else { return nil }
            var fact = TransactionFact(transactionId: AppleID(id))
            fact.webOrderLineItemId = Self.text(row, "web_order_line_item_id").map { AppleID($0) }
            fact.productId = Self.text(row, "product_id").map { Symbol($0) }
            fact.subscriptionGroupIdentifier = Self.text(row, "subscription_group_identifier").map { Symbol($0) }
            fact.type = .autoRenewable
            (fact.purchaseDate, fact.expiresDate) = (start, end)
            fact.isUpgraded = Self.isTrue(row, "is_upgraded")
            if let date = Self.instant(row, "cancellation_date_ms") {
                fact.revocation = TransactionFact.Revocation(revocationDate: date)
                fact.revocation?.revocationReason = Self.text(row, "cancellation_reason").flatMap { Int64($0) }
                    .map { RevocationReason(rawValue: $0) }
            }
            let isIntroductory = Self.isTrue(row, "is_in_intro_offer_period")
            let isTrial = Self.isTrue(row, "is_trial_period")
            let type: OfferType? =
                isIntroductory || isTrial ? .introductory : row["promotional_offer_id"] == nil ? nil : .promotional
            fact.offer = TransactionFact.Offer(
                offerType: type, offerIdentifier: nil,
                offerDiscountType: isTrial && !isIntroductory ? .freeTrial : isIntroductory ? .payAsYouGo : nil,
                offerPeriod: nil)
            return fact
        }

        private func renewal(_ row: JSONView) -> RenewalFact {
            var fact = RenewalFact()
            fact.productId = Self.text(row, "product_id").map { Symbol($0) }
            fact.autoRenewProductId = Self.text(row, "auto_renew_product_id").map { Symbol($0) }
            fact.autoRenewStatus = Self.text(row, "auto_renew_status") == "1" ? .on : .off
            fact.isInBillingRetryPeriod = Self.text(row, "is_in_billing_retry_period") == "1"
            fact.expirationIntent = Self.text(row, "expiration_intent").flatMap { Int64($0) }
                .map { ExpirationIntent(rawValue: $0) }
            fact.gracePeriodExpiresDate = Self.instant(row, "grace_period_expires_date_ms")
            return fact
        }

        private func observation(_ fact: Fact, _ name: String) -> Observation {
            Observation(
                source: Source(
                    name: ObservationName(digest: .sha256(of: name.utf8)), time: time, rank: .verifyReceiptLatest,
                    position: 0, recordedAt: time),
                fact: fact)
        }

        var timelines: [SubscriptionKey: Timeline] {
            var observations: [SubscriptionKey: [Observation]] = [:]
            func key(_ id: String) -> SubscriptionKey {
                SubscriptionKey(environment: .production, bundleId: "app", originalTransactionId: id)
            }
            let rows = root["latest_receipt_info"]?.elements ?? root["latest_receipt_info"].map { [$0] } ?? []
            for row in rows {
                guard let id = Self.text(row, "original_transaction_id"), let fact = transaction(row) else { continue }
                observations[key(id), default: []].append(observation(.transaction(fact), "\(fact)"))
            }
            for row in root["pending_renewal_info"]?.elements ?? [] {
                guard let id = Self.text(row, "original_transaction_id") else { continue }
                observations[key(id), default: []].append(
                    observation(.renewal(renewal(row)), JSONValue(row).serialized()))
            }
            return observations.mapValues { Timeline($0) }
        }

        func codes(at t: Instant) -> [String: Double] {
            var rules = Rules()
            // The sample does not wait for an overdue renewal.
            rules.access.renewalLeewayMinutes = 0
            let lineages = Lineage.components(of: timelines)
            let products = CustomerProducts(
                lineages.states(at: t, rules: rules), of: lineages.flatMap(\.subscriptions), purchases: [:],
                downloads: [], grants: [], at: t, catalogs: [:])
            return products.products.reduce(into: [:]) { codes, row in
                codes[row.product.productId.text] = row.code?.value
            }
        }
    }

    @Test func `are those that Apple's sample gives`() throws {
        guard let folder = TestEnvironment.fixtures else {
            print("fixtures: absent")
            return
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/entitlement-engine").sorted()
        var count = 0
        for file in files {
            let expected = try #require(try Self.document("entitlement-engine/" + file))
            let path = try #require(expected["input"]?.string)
            // The answers of one app are not in the fixtures, only the outputs.
            guard var input = try Self.document(path) else { continue }
            if let part = expected["input_part"]?.string, part != "root" {
                input = try #require(input.members.first { $0.key == part }?.value)
            }
            let answer = Answer(input)
            for example in expected["cases"]?.elements ?? [] {
                let t = Instant(milliseconds: try #require(example["now_ms"]?.integer))
                let found = answer.codes(at: t)
                // The sample throws for a renewal info of a product without a transaction.
                for row in example["output"]?["subscriptions"]?.elements ?? [] {
                    let id = try #require(row["product_id"]?.string)
                    let code = try #require(row["entitlementCode"].flatMap { Double(JSONValue($0).serialized()) })
                    #expect(found[id] == Self.deviations[file]?[t.milliseconds] ?? code, "\(file) \(id) at \(t)")
                    count += 1
                }
            }
        }
        #expect(count >= 46)
    }
}
