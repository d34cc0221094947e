import AppStoreModel
import Primitives
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    /// The constants, each with the value in Apple's documentation.
    static let words: [(name: any OpenVocabulary, word: String)] =
        [
            (NotificationType.subscribed, "SUBSCRIBED"), (NotificationType.didRenew, "DID_RENEW"),
            (NotificationType.didChangeRenewalPref, "DID_CHANGE_RENEWAL_PREF"),
            (NotificationType.didChangeRenewalStatus, "DID_CHANGE_RENEWAL_STATUS"),
            (NotificationType.offerRedeemed, "OFFER_REDEEMED"),
            (NotificationType.didFailToRenew, "DID_FAIL_TO_RENEW"),
            (NotificationType.gracePeriodExpired, "GRACE_PERIOD_EXPIRED"), (NotificationType.expired, "EXPIRED"),
            (NotificationType.priceIncrease, "PRICE_INCREASE"), (NotificationType.refund, "REFUND"),
            (NotificationType.refundDeclined, "REFUND_DECLINED"),
            (NotificationType.refundReversed, "REFUND_REVERSED"), (NotificationType.revoke, "REVOKE"),
            (NotificationType.consumptionRequest, "CONSUMPTION_REQUEST"),
            (NotificationType.renewalExtended, "RENEWAL_EXTENDED"),
            (NotificationType.renewalExtension, "RENEWAL_EXTENSION"),
            (NotificationType.oneTimeCharge, "ONE_TIME_CHARGE"),
            (NotificationType.externalPurchaseToken, "EXTERNAL_PURCHASE_TOKEN"),
            (NotificationType.metadataUpdate, "METADATA_UPDATE"), (NotificationType.migration, "MIGRATION"),
            (NotificationType.migrate, "MIGRATE"), (NotificationType.priceChange, "PRICE_CHANGE"),
            (NotificationType.rescindConsent, "RESCIND_CONSENT"), (NotificationType.test, "TEST"),
        ] + [
            (Subtype.initialBuy, "INITIAL_BUY"), (Subtype.resubscribe, "RESUBSCRIBE"), (Subtype.upgrade, "UPGRADE"),
            (Subtype.downgrade, "DOWNGRADE"), (Subtype.autoRenewEnabled, "AUTO_RENEW_ENABLED"),
            (Subtype.autoRenewDisabled, "AUTO_RENEW_DISABLED"), (Subtype.voluntary, "VOLUNTARY"),
            (Subtype.billingRetry, "BILLING_RETRY"), (Subtype.priceIncrease, "PRICE_INCREASE"),
            (Subtype.productNotForSale, "PRODUCT_NOT_FOR_SALE"), (Subtype.gracePeriod, "GRACE_PERIOD"),
            (Subtype.billingRecovery, "BILLING_RECOVERY"), (Subtype.pending, "PENDING"),
            (Subtype.accepted, "ACCEPTED"), (Subtype.summary, "SUMMARY"), (Subtype.failure, "FAILURE"),
            (Subtype.unreported, "UNREPORTED"), (Subtype.created, "CREATED"),
            (Subtype.activeTokenReminder, "ACTIVE_TOKEN_REMINDER"),
        ] + [
            (Environment.production, "Production"), (Environment.sandbox, "Sandbox"), (Environment.xcode, "Xcode"),
            (Environment.localTesting, "LocalTesting"),
            (ProductType.autoRenewable, "Auto-Renewable Subscription"), (ProductType.nonConsumable, "Non-Consumable"),
            (ProductType.consumable, "Consumable"), (ProductType.nonRenewing, "Non-Renewing Subscription"),
            (InAppOwnershipType.purchased, "PURCHASED"), (InAppOwnershipType.familyShared, "FAMILY_SHARED"),
            (TransactionReason.purchase, "PURCHASE"), (TransactionReason.renewal, "RENEWAL"),
            (RevocationType.refundFull, "REFUND_FULL"), (RevocationType.refundProrated, "REFUND_PRORATED"),
            (RevocationType.familyRevoke, "FAMILY_REVOKE"),
            (OfferDiscountType.freeTrial, "FREE_TRIAL"), (OfferDiscountType.payAsYouGo, "PAY_AS_YOU_GO"),
            (OfferDiscountType.payUpFront, "PAY_UP_FRONT"), (OfferDiscountType.oneTime, "ONE_TIME"),
            (BillingPlanType.billedUpfront, "BILLED_UPFRONT"), (BillingPlanType.monthly, "MONTHLY"),
            (ConsumptionRequestReason.unintendedPurchase, "UNINTENDED_PURCHASE"),
            (ConsumptionRequestReason.fulfillmentIssue, "FULFILLMENT_ISSUE"),
            (ConsumptionRequestReason.unsatisfiedWithPurchase, "UNSATISFIED_WITH_PURCHASE"),
            (ConsumptionRequestReason.legal, "LEGAL"), (ConsumptionRequestReason.other, "OTHER"),
            (OriginalPlatform.iOS, "iOS"), (OriginalPlatform.macOS, "macOS"), (OriginalPlatform.tvOS, "tvOS"),
            (OriginalPlatform.visionOS, "visionOS"),
        ]

    static let numbers: [(name: any OpenNumericVocabulary, number: Int64)] = [
        (OfferType.introductory, 1), (OfferType.promotional, 2), (OfferType.offerCode, 3), (OfferType.winBack, 4),
        (SubscriptionStatusCode.active, 1), (SubscriptionStatusCode.expired, 2),
        (SubscriptionStatusCode.billingRetry, 3), (SubscriptionStatusCode.gracePeriod, 4),
        (SubscriptionStatusCode.revoked, 5), (AutoRenewStatus.off, 0), (AutoRenewStatus.on, 1),
        (ExpirationIntent.cancelled, 1), (ExpirationIntent.billingError, 2), (ExpirationIntent.priceNotAccepted, 3),
        (ExpirationIntent.productUnavailable, 4), (ExpirationIntent.other, 5), (PriceIncreaseStatus.pending, 0),
        (PriceIncreaseStatus.accepted, 1), (RevocationReason.other, 0), (RevocationReason.appIssue, 1),
    ]

    @Test func `names stand for Apple's words and numbers`() {
        for (name, word) in Self.words {
            #expect(name.rawValue == word)
            #expect(name.description == word)
        }
        for (name, number) in Self.numbers { #expect(name.rawValue == number) }
    }

    @Test func `values of tomorrow are kept`() throws {
        let text = """
            {"notificationType":"OF_TOMORROW","subtype":"NEVER_SEEN","appData":{"environment":"Moon"},
             "data":{"environment":"Mars","status":77,"consumptionRequestReason":"WHIM"},"later":{"x":[1]}}
            """
        let notification = try Notification(JSONDocument(parsing: Array(text.utf8)).root)
        #expect(notification.notificationType?.rawValue == "OF_TOMORROW")
        #expect(notification.subtype?.rawValue == "NEVER_SEEN")
        #expect(notification.environment?.rawValue == "Mars")
        #expect(notification.environment?.isLocal == false)
        #expect(notification.data?.status?.rawValue == 77)
        #expect(notification.data?.consumptionRequestReason?.rawValue == "WHIM")
        #expect(notification.payload["later"]?["x"]?.elements?.first?.integer == 1)
        #expect(notification.payload.document.bytes == Array(text.utf8))
    }

    @Test func `numbers of tomorrow are kept`() throws {
        let text = #"{"offerType":99,"revocationReason":-3,"type":"Barter","revocationType":"ASSIGNMENT_REVOKE"}"#
        let transaction = try Transaction(JSONDocument(parsing: Array(text.utf8)).root)
        #expect(transaction.offerType?.rawValue == 99)
        #expect(transaction.revocationReason?.rawValue == -3)
        #expect(transaction.type?.rawValue == "Barter")
        #expect(transaction.revocationType?.rawValue == "ASSIGNMENT_REVOKE")
    }

    @Test(arguments: ["1.5", "1e3", "9223372036854775808"])
    func `a number that is no 64-bit integer is absent`(json: String) throws {
        let text = #"{"offerType":\#(json),"quantity":\#(json),"price":\#(json)}"#
        let transaction = try Transaction(JSONDocument(parsing: Array(text.utf8)).root)
        #expect(transaction.offerType == nil)
        #expect(transaction.quantity == nil)
        #expect(transaction.price == nil)
    }
}
