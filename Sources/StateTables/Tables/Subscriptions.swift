import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The state of each subscription: the rows of `subledger state`, and the units that it belongs to.
    static let subscriptions = StateTable(
        .ofSubscriptions(
            "subscriptions", version: 1, keyCount: 3,
            [
                .nullable("product_id"), .nullable("subscription_group_identifier"), .nullable("transaction_id"),
                .text("status"), TableColumn("entitled", .boolean), .text("access"),
                .nullable("access_until", .instant), .nullable("will_renew", .boolean),
                .nullable("pending_product_id"), .nullable("ownership"), .instant("original_purchase_date"),
                .instant("purchased_at"), .nullable("expires_at", .instant),
                .nullable("grace_period_expires_at", .instant), .nullable("revoked_at", .instant),
                .nullable("price", .money), .nullable("currency"), .nullable("storefront"), .text("offer_type"),
                .nullable("offer_id"), .nullable("offer_discount_type"), .nullable("offer_period"),
                .nullable("price_increase"), .nullable("auto_renew_off_since", .instant),
                .nullable("billing_issue_since", .instant), .nullable("commitment", .json), .text("reason"),
                .text("next_step"), TableColumn("offer_ids", .json), TableColumn("inferred", .json),
                TableColumn("history_incomplete", .boolean), .nullable("disagreement", .json),
                TableColumn("lineage_id", .hex), TableColumn("account_id", .hex),
                TableColumn("customer_handles", .json),
            ]),
        .units { unit, rows in
            for group in unit.lineages.groupedByAccounts() {
                let account = group.flatMap(\.subscriptions).map(\.key).min()
                for state in group.states(at: unit.asOf, rules: unit.context.rules) {
                    let lineage = group.first { $0.subscriptions.contains { $0.key == state.key } }
                    try rows.add { row in
                        row.append(SubscriptionRow(state), of: state.key)
                        row.append(hex: UnitID.bytes("lineage", lineage?.subscriptions.first?.key ?? state.key))
                        row.append(hex: UnitID.bytes("account", account ?? state.key))
                        row.append(texts: unit.customers(of: state.key).map(\.hex))
                        row.append(evidence: state.evidence)
                    }
                }
            }
        })
}

extension TableRow {
    fileprivate mutating func append(_ state: SubscriptionRow, of key: SubscriptionKey) {
        append(key: key)
        append(text: state.productId)
        append(text: state.subscriptionGroupIdentifier)
        append(text: state.transactionId)
        append(text: state.status)
        append(boolean: state.entitled)
        append(text: state.access)
        append(instant: state.accessUntil)
        append(boolean: state.willRenew)
        append(text: state.pendingProductId)
        append(text: state.ownership)
        append(instant: state.originalPurchaseDate)
        append(instant: state.purchasedAt)
        append(instant: state.expiresAt)
        append(instant: state.gracePeriodExpiresAt)
        append(instant: state.revokedAt)
        append(milliunits: state.price)
        append(text: state.currency)
        append(text: state.storefront)
        append(offer: state.offer)
        append(text: state.priceIncrease)
        append(instant: state.autoRenewOffSince)
        append(instant: state.billingIssueSince)
        append(json: state.commitment?.json.canonical())
        append(text: state.reason)
        append(text: state.nextStep)
        append(texts: state.offerIds)
        append(texts: state.inferred)
        append(boolean: state.historyIncomplete)
        append(json: state.disagreement?.json.canonical())
    }

    private mutating func append(offer: OfferTerms?) {
        append(text: offer?.type ?? (offer == nil ? TableWord.none : TableWord.unknown))
        append(text: offer?.id)
        append(text: offer?.discountType)
        append(text: offer?.period)
    }
}
