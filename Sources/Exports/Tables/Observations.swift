import AppStoreModel
import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The statements about transactions: a row for each observation, also for a copy that Apple signed again.
    static let transactions = ExportTable(
        TableSchema(
            name: "transactions", version: 1, keyCount: 2,
            columns: observationColumns + [
                .text("original_transaction_id"), .text("transaction_id"), .nullable("web_order_line_item_id"),
                .text("bundle_id"), .nullable("product_id"), .nullable("subscription_group_identifier"),
                .nullable("purchase_date", .instant), .nullable("original_purchase_date", .instant),
                .nullable("expires_date", .instant), .nullable("quantity", .int32), .nullable("type"),
                .nullable("in_app_ownership_type"), .nullable("app_account_token"), .nullable("signed_date", .instant),
                .nullable("revocation_date", .instant), .nullable("revocation_reason", .int32),
                .nullable("revocation_type"), .nullable("revocation_percentage", .int32),
                .nullable("is_upgraded", .boolean), .nullable("offer_type", .int32), .nullable("offer_identifier"),
                .nullable("offer_discount_type"), .nullable("offer_period"), .text("environment"),
                .nullable("transaction_reason"), .nullable("storefront"), .nullable("storefront_id"),
                .nullable("price", .money), .nullable("currency"), .nullable("app_transaction_id"),
                .nullable("previous_original_transaction_id"), .nullable("billing_plan_type"),
                .nullable("billing_period_number", .int32), .nullable("total_billing_periods", .int32),
                .nullable("commitment_expires_date", .instant), .nullable("commitment_price", .money),
                .nullable("advanced_commerce_info", .json),
            ]),
        .observations { key, timeline, rows in
            for transaction in timeline.transactions {
                try rows.add(transaction.source) { $0.append(transaction, of: key, $1) }
            }
        })

    /// The statements about renewals: a row for each observation.
    static let renewalInfos = ExportTable(
        TableSchema(
            name: "renewal_infos", version: 1, keyCount: 2,
            columns: observationColumns + [
                .text("environment"), .text("bundle_id"), .text("original_transaction_id"), .nullable("product_id"),
                .nullable("auto_renew_product_id"), .nullable("auto_renew_status", .int32),
                .nullable("expiration_intent", .int32), .nullable("is_in_billing_retry_period", .boolean),
                .nullable("grace_period_expires_date", .instant), .nullable("renewal_date", .instant),
                .nullable("renewal_price", .money), .nullable("currency"), .nullable("price_increase_status", .int32),
                .nullable("offer_type", .int32), .nullable("offer_identifier"), .nullable("offer_discount_type"),
                .nullable("offer_period"), .nullable("eligible_win_back_offer_ids", .json),
                .nullable("recent_subscription_start_date", .instant), .nullable("app_account_token"),
                .nullable("app_transaction_id"), .nullable("signed_date", .instant),
                .nullable("renewal_billing_plan_type"), .nullable("commitment_auto_renew_product_id"),
                .nullable("commitment_auto_renew_status", .int32), .nullable("commitment_renewal_billing_plan_type"),
                .nullable("commitment_renewal_date", .instant), .nullable("commitment_renewal_price", .money),
                .nullable("advanced_commerce_info", .json), .nullable("signed_status", .int32),
            ]),
        .observations { key, timeline, rows in
            for renewal in timeline.renewals where !renewal.value.isRemoved {
                try rows.add(renewal.source) { row, payload in
                    row.append(renewal, of: key, payload)
                    row.append(integer: timeline.status(beside: renewal.source))
                }
            }
        })

    private static let observationColumns: [TableColumn] = [
        TableColumn("statement_sha256", .hex), .text("statement_path"), TableColumn("position", .int64),
        .instant("observed_at"), TableColumn("rank", .int32), .text("trust"),
    ]
}

extension Timeline {
    /// Returns the status in the event that first carried a renewal info; nil without one.
    fileprivate func status(beside source: Source) -> Int64? {
        notifications.first { notification in
            notification.source.position == source.position
                && notification.value.signedRenewalInfo == source.name.digest && notification.value.status != nil
        }?.value.status?.rawValue
    }
}

extension TableRow {
    /// Appends the claims of a transaction in the order of Apple's documentation, without those that are personal data.
    fileprivate mutating func append(
        _ transaction: Observed<TransactionFact>, of key: SubscriptionKey, _ payload: JSONView?
    ) {
        let (fact, source) = (transaction.value, transaction.source)
        append(text: key.originalTransactionId)
        append(text: fact.transactionId)
        append(text: fact.webOrderLineItemId)
        append(text: key.bundleId)
        append(text: fact.productId)
        append(text: fact.subscriptionGroupIdentifier)
        append(instant: fact.purchaseDate)
        append(instant: fact.originalPurchaseDate)
        append(instant: fact.expiresDate)
        append(integer: fact.quantity)
        append(text: fact.type?.rawValue)
        append(text: fact.inAppOwnershipType?.rawValue)
        appendNull()
        append(instant: source.signedDate)
        append(fact.revocation)
        append(boolean: fact.isUpgraded ? true : nil)
        append(fact.offer)
        append(text: key.environment.rawValue)
        append(text: fact.transactionReason?.rawValue)
        append(text: fact.storefront)
        append(text: payload?["storefrontId"]?.string)
        append(milliunits: fact.price?.price)
        append(text: fact.price?.currency)
        appendNull()
        append(text: fact.previousOriginalTransactionId)
        append(fact.commitment)
        append(json: payload?["advancedCommerceInfo"].map { JSONValue($0).canonical() })
    }

    private mutating func append(_ revocation: TransactionFact.Revocation?) {
        append(instant: revocation?.revocationDate)
        append(integer: revocation?.revocationReason?.rawValue)
        append(text: revocation?.revocationType?.rawValue)
        append(integer: revocation?.revocationPercentage)
    }

    private mutating func append(_ offer: TransactionFact.Offer?) {
        append(integer: offer?.offerType?.rawValue)
        append(text: offer?.offerIdentifier)
        append(text: offer?.offerDiscountType?.rawValue)
        append(text: offer?.offerPeriod)
    }

    private mutating func append(_ commitment: TransactionFact.Commitment?) {
        append(text: commitment?.billingPlanType?.rawValue)
        append(integer: commitment?.billingPeriodNumber)
        append(integer: commitment?.totalBillingPeriods)
        append(instant: commitment?.commitmentExpiresDate)
        append(milliunits: commitment?.commitmentPrice)
    }

    fileprivate mutating func append(
        _ renewal: Observed<RenewalFact>, of key: SubscriptionKey, _ payload: JSONView?
    ) {
        let fact = renewal.value
        append(key: key)
        append(text: fact.productId)
        append(text: fact.autoRenewProductId)
        append(integer: fact.autoRenewStatus?.rawValue)
        append(integer: fact.expirationIntent?.rawValue)
        append(boolean: fact.isInBillingRetryPeriod)
        append(instant: fact.gracePeriodExpiresDate)
        append(instant: fact.renewalDate)
        append(milliunits: fact.renewalPrice?.price)
        append(text: fact.renewalPrice?.currency)
        append(integer: fact.priceIncreaseStatus?.rawValue)
        append(fact.offer)
        if let offers = fact.eligibleWinBackOfferIds {
            append(texts: offers.value.ids.map(\.text))
        } else {
            appendNull()
        }
        append(instant: fact.recentSubscriptionStartDate)
        appendNull()
        appendNull()
        append(instant: renewal.source.signedDate)
        append(fact.commitment)
        append(json: payload?["advancedCommerceInfo"].map { JSONValue($0).canonical() })
    }

    private mutating func append(_ commitment: RenewalFact.Commitment?) {
        append(text: commitment?.renewalBillingPlanType?.rawValue)
        append(text: commitment?.commitmentAutoRenewProductId)
        append(integer: commitment?.commitmentAutoRenewStatus?.rawValue)
        append(text: commitment?.commitmentRenewalBillingPlanType?.rawValue)
        append(instant: commitment?.commitmentRenewalDate)
        append(milliunits: commitment?.commitmentRenewalPrice)
    }
}

extension Source {
    /// Nil for a statement without a signature of its own.
    fileprivate var signedDate: Instant? { rank == .jws ? time : nil }
}
