import AppStoreModel
import Primitives

extension RenewalFact {
    func add(to members: inout ResidueMembers) {
        members.add("appTransactionId", appTransactionId)
        members.add("productId", productId)
        members.add("autoRenewProductId", autoRenewProductId)
        members.add("autoRenewStatus", autoRenewStatus)
        members.add("expirationIntent", expirationIntent)
        members.add("isInBillingRetryPeriod", isInBillingRetryPeriod)
        members.add("gracePeriodExpiresDate", gracePeriodExpiresDate)
        members.add("renewalDate", renewalDate)
        members.add("recentSubscriptionStartDate", recentSubscriptionStartDate)
        members.add("priceIncreaseStatus", priceIncreaseStatus)
        members.add("eligibleWinBackOfferIds", (eligibleWinBackOfferIds?.value.ids ?? []).map { .string($0.text) })
        members.add("appAccountToken", appAccountToken?.uuid)
        members.add("renewalPrice", renewalPrice?.price)
        members.add("currency", renewalPrice?.currency)
        members.add(offer)
        members.add("renewalBillingPlanType", commitment?.renewalBillingPlanType)
        members.add("commitmentAutoRenewProductId", commitment?.commitmentAutoRenewProductId)
        members.add("commitmentAutoRenewStatus", commitment?.commitmentAutoRenewStatus)
        members.add("commitmentRenewalBillingPlanType", commitment?.commitmentRenewalBillingPlanType)
        members.add("commitmentRenewalDate", commitment?.commitmentRenewalDate)
        members.add("commitmentRenewalPrice", commitment?.commitmentRenewalPrice)
        members.add("isOneOfSeveral", flag: isOneOfSeveral)
        members.add("isRemoved", flag: isRemoved)
    }

    init(residue fields: inout ResidueFields) {
        self.init()
        appTransactionId = fields.id("appTransactionId")
        productId = fields.symbol("productId")
        autoRenewProductId = fields.symbol("autoRenewProductId")
        autoRenewStatus = fields.number("autoRenewStatus")
        expirationIntent = fields.number("expirationIntent")
        isInBillingRetryPeriod = fields.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = fields.instant("gracePeriodExpiresDate")
        renewalDate = fields.instant("renewalDate")
        recentSubscriptionStartDate = fields.instant("recentSubscriptionStartDate")
        priceIncreaseStatus = fields.number("priceIncreaseStatus")
        eligibleWinBackOfferIds = OfferIdentifiers.interned(
            fields.list("eligibleWinBackOfferIds") { $0.string.map { Symbol($0) } })
        appAccountToken = fields.token("appAccountToken")
        renewalPrice = TransactionFact.Price(residue: &fields, "renewalPrice")
        offer = fields.offer()
        commitment = Commitment(residue: &fields)
        isOneOfSeveral = fields.flag("isOneOfSeveral")
        isRemoved = fields.flag("isRemoved")
    }
}

extension RenewalFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(residue fields: inout ResidueFields) {
        self.init()
        renewalBillingPlanType = fields.word("renewalBillingPlanType")
        commitmentAutoRenewProductId = fields.symbol("commitmentAutoRenewProductId")
        commitmentAutoRenewStatus = fields.number("commitmentAutoRenewStatus")
        commitmentRenewalBillingPlanType = fields.word("commitmentRenewalBillingPlanType")
        commitmentRenewalDate = fields.instant("commitmentRenewalDate")
        commitmentRenewalPrice = fields.integer("commitmentRenewalPrice")
        if self == Self() { return nil }
    }
}

extension NotificationFact {
    func add(to members: inout ResidueMembers) {
        members.add("notificationType", notificationType)
        members.add("subtype", subtype)
        members.add("notificationUUID", notificationUUID?.bytes)
        members.add("status", status)
        members.add("consumptionRequestReason", consumptionRequestReason)
        members.add("signedTransactionInfo", signedTransactionInfo)
        members.add("signedRenewalInfo", signedRenewalInfo)
        members.add("signedAppTransactionInfo", signedAppTransactionInfo)
    }

    init(residue fields: inout ResidueFields) {
        self.init()
        notificationType = fields.word("notificationType")
        subtype = fields.word("subtype")
        notificationUUID = fields.uuid("notificationUUID").map(NotificationUUID.init(bytes:))
        status = fields.number("status")
        consumptionRequestReason = fields.word("consumptionRequestReason")
        signedTransactionInfo = fields.digest("signedTransactionInfo")
        signedRenewalInfo = fields.digest("signedRenewalInfo")
        signedAppTransactionInfo = fields.digest("signedAppTransactionInfo")
    }
}

extension AppFact {
    func add(to members: inout ResidueMembers) {
        members.add("originalApplicationVersion", originalApplicationVersion)
        members.add("originalPurchaseDate", originalPurchaseDate)
        members.add("originalPlatform", originalPlatform)
        members.add("preorderDate", preorderDate)
        members.add("expirationDate", expirationDate)
    }

    init(residue fields: inout ResidueFields) {
        self.init()
        originalApplicationVersion = fields.symbol("originalApplicationVersion")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        originalPlatform = fields.word("originalPlatform")
        preorderDate = fields.instant("preorderDate")
        expirationDate = fields.instant("expirationDate")
    }
}
