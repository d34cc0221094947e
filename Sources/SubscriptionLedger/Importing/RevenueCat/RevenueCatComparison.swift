import AppStoreModel
import FactStore
import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives

/// A field about which a row of RevenueCat and the ledger differ.
package struct ColumnDisagreement: Hashable, Sendable {
    /// The column of the row.
    package let column: String
    package let asserted: JSONValue
    package let found: JSONValue
    package let because: String

    package var json: JSONValue {
        .object([
            .init("column", .string(column)), .init("asserted", asserted), .init("found", found),
            .init("because", .string(because)),
        ])
    }
}

/// Compares rows of RevenueCat with what Apple signed.
struct RevenueCatComparison {
    private let reader: LedgerReader
    private var lookup: CustomerLookup
    /// The transactions of the last purchase history. Rows of one history mostly come together.
    private var last: (originalTransactionId: String, histories: [History])?

    private struct History {
        let key: SubscriptionKey
        let transactions: [AppleID: Observed<TransactionFact>]
        let owners: Set<Ownership.Owner>
    }

    /// Times of an export have seconds.
    private static let precision: Int64 = 1_000
    /// Prices of an export are binary fractions.
    private static let pricePrecision: Int64 = 5

    init(_ reader: LedgerReader) throws {
        self.reader = reader
        lookup = try CustomerLookup(in: reader)
    }

    /// Returns the differences; nil when the ledger has no such transaction.
    mutating func disagreements(_ row: RevenueCatRow, of customer: CustomerHandle) throws -> [ColumnDisagreement]? {
        let id = AppleID(row.transactionId)
        let candidates = try histories(of: row.originalTransactionId).filter { $0.transactions[id] != nil }
        let history = candidates.first { $0.key.environment.rawValue == row.environment } ?? candidates.first
        guard let history, let found = history.transactions[id] else { return nil }
        return Self.differences(row, history.key, found) + (try difference(in: customer, history))
    }

    private mutating func histories(of id: String) throws -> [History] {
        if let last, last.originalTransactionId == id { return last.histories }
        let histories = try reader.facts.keys(ofOriginalTransactionId: id).map { key in
            var related = RelatedTimelines(in: reader.facts, knownAt: lookup.size)
            try related.add([key])
            let timeline = related.timelines[key] ?? Timeline()
            let evidence = related.ownershipEvidence(of: key, timeline)
            try lookup.load(evidence)
            let rule = try reader.rules(knownAt: lookup.size).customers.claimConflict
            return History(
                key: key,
                // In the total order, so the newest statement about a transaction is the last.
                transactions: Dictionary(timeline.transactions.map { ($0.value.transactionId, $0) }) { $1 },
                owners: Set(Ownership(evidence, at: .latest, directory: lookup.directory, rule: rule).owners))
        }
        last = (id, histories)
        return histories
    }

    private static func differences(
        _ row: RevenueCatRow, _ key: SubscriptionKey, _ found: Observed<TransactionFact>
    ) -> [ColumnDisagreement] {
        let fact = found.value
        let signed = "Apple's transaction, signed \(found.source.time.iso8601), event \(found.source.position)"
        var differences: [ColumnDisagreement] = []
        func compare(_ column: String, _ asserted: JSONValue, _ found: JSONValue, equal: Bool? = nil) {
            guard !(equal ?? (asserted == found)) else { return }
            differences.append(ColumnDisagreement(column: column, asserted: asserted, found: found, because: signed))
        }
        func compare(_ column: String, _ asserted: Instant?, _ found: Instant?) {
            let isEqual =
                if let asserted, let found { abs(asserted.milliseconds - found.milliseconds) < precision } else {
                    asserted == found
                }
            compare(column, JSONValue(asserted), JSONValue(found), equal: isEqual)
        }
        let isRenewable = fact.type == .autoRenewable
        let isIntro = fact.offer?.offerType == .introductory
        let isFree = fact.offer?.offerDiscountType == .freeTrial
        compare("product_identifier", .string(row.productId), JSONValue(fact.productId?.text))
        compare("start_time", row.startTime, fact.purchaseDate)
        compare("end_time", row.endTime, isRenewable ? fact.expiresDate : nil)
        compare("is_auto_renewable", .bool(row.isAutoRenewable), .bool(isRenewable))
        compare("is_sandbox", .bool(row.isSandbox), .bool(key.environment == .sandbox))
        compare("is_trial_period", .bool(row.isTrial), .bool(isIntro && isFree))
        compare("is_in_intro_offer_period", .bool(row.isIntroOffer), .bool(isIntro && !isFree))
        compare(
            "ownership_type", JSONValue(row.ownership), JSONValue(fact.inAppOwnershipType?.rawValue),
            equal: row.ownership == nil || fact.inAppOwnershipType == nil ? true : nil)
        if let price = row.price, let found = fact.price {
            compare(
                "purchase_price_in_purchased_currency", .integer(price), .integer(found.price),
                equal: abs(price - found.price) < pricePrecision)
            compare(
                "purchased_currency", JSONValue(row.currency), JSONValue(found.currency?.text),
                equal: row.currency == nil ? true : nil)
        }
        // A credit for an upgrade is no refund there.
        let isRefunded = fact.revocation != nil && !fact.isUpgraded
        compare(
            "refunded_at", JSONValue(row.refundedAt), JSONValue(isRefunded ? fact.revocation?.revocationDate : nil),
            equal: (row.refundedAt != nil) == isRefunded)
        return differences
    }

    /// Returns the difference in the owner. A purchase that nobody owns in the ledger differs from nothing.
    private mutating func difference(in customer: CustomerHandle, _ history: History) throws -> [ColumnDisagreement] {
        let asserted = try lookup.customer(of: customer)
        let owners = history.owners.compactMap { owner in
            if case .customer(let owner) = owner { owner } else { nil }
        }
        guard let owner = owners.min(by: { $0.value < $1.value }), !owners.contains(asserted) else { return [] }
        return [
            ColumnDisagreement(
                column: "rc_original_app_user_id", asserted: .string(asserted.hex), found: .string(owner.hex),
                because: "the newest decision about the owner of \(history.key.originalTransactionId)")
        ]
    }
}
