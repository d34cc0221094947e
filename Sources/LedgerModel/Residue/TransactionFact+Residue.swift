import AppStoreModel
import Primitives

/// Fields that Apple states together have the names of their own, as in Apple's payloads.
extension TransactionFact {
    func add(to members: inout ResidueMembers) {
        members.add("transactionId", transactionId)
        members.add("appTransactionId", appTransactionId)
        members.add("previousOriginalTransactionId", previousOriginalTransactionId)
        members.add("companion", companion)
        members.add("webOrderLineItemId", webOrderLineItemId)
        members.add("productId", productId)
        members.add("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        members.add("type", type)
        members.add("inAppOwnershipType", inAppOwnershipType)
        members.add("transactionReason", transactionReason)
        members.add("purchaseDate", purchaseDate)
        members.add("originalPurchaseDate", originalPurchaseDate)
        members.add("expiresDate", expiresDate)
        members.add("quantity", quantity)
        members.add("storefront", storefront)
        members.add("isUpgraded", flag: isUpgraded)
        members.add("isOfFullHistory", flag: isOfFullHistory)
        members.add("appAccountToken", appAccountToken?.uuid)
        members.add("revocationDate", revocation?.revocationDate)
        members.add("revocationReason", revocation?.revocationReason)
        members.add("revocationType", revocation?.revocationType)
        members.add("revocationPercentage", revocation?.revocationPercentage)
        members.add(offer)
        members.add("price", price?.price)
        members.add("currency", price?.currency)
        members.add("billingPlanType", commitment?.billingPlanType)
        members.add("billingPeriodNumber", commitment?.billingPeriodNumber)
        members.add("totalBillingPeriods", commitment?.totalBillingPeriods)
        members.add("commitmentExpiresDate", commitment?.commitmentExpiresDate)
        members.add("commitmentPrice", commitment?.commitmentPrice)
        members.add("itemRevocations", (itemRevocations?.value.items ?? []).map(\.residue))
    }

    init?(residue fields: inout ResidueFields) {
        guard let transactionId = fields.id("transactionId") else { return nil }
        self.init(transactionId: transactionId)
        appTransactionId = fields.id("appTransactionId")
        previousOriginalTransactionId = fields.id("previousOriginalTransactionId")
        companion = fields.id("companion")
        webOrderLineItemId = fields.id("webOrderLineItemId")
        productId = fields.symbol("productId")
        subscriptionGroupIdentifier = fields.symbol("subscriptionGroupIdentifier")
        type = fields.word("type")
        inAppOwnershipType = fields.word("inAppOwnershipType")
        transactionReason = fields.word("transactionReason")
        purchaseDate = fields.instant("purchaseDate")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        expiresDate = fields.instant("expiresDate")
        quantity = fields.integer("quantity")
        storefront = fields.symbol("storefront")
        isUpgraded = fields.flag("isUpgraded")
        isOfFullHistory = fields.flag("isOfFullHistory")
        appAccountToken = fields.token("appAccountToken")
        revocation = Revocation(residue: &fields)
        offer = fields.offer()
        price = Price(residue: &fields, "price")
        commitment = Commitment(residue: &fields)
        itemRevocations = ItemRevocations.interned(fields.list("itemRevocations", ItemRevocation.init(residue:)))
    }
}

extension ResidueMembers {
    mutating func add(_ offer: TransactionFact.Offer?) {
        add("offerType", offer?.offerType)
        add("offerIdentifier", offer?.offerIdentifier)
        add("offerDiscountType", offer?.offerDiscountType)
        add("offerPeriod", offer?.offerPeriod)
    }
}

extension ResidueFields {
    mutating func offer() -> TransactionFact.Offer? {
        TransactionFact.Offer(
            offerType: number("offerType"), offerIdentifier: symbol("offerIdentifier"),
            offerDiscountType: word("offerDiscountType"), offerPeriod: symbol("offerPeriod"))
    }
}

extension TransactionFact.Revocation {
    fileprivate init?(residue fields: inout ResidueFields) {
        guard let date = fields.instant("revocationDate") else { return nil }
        self.init(revocationDate: date)
        revocationReason = fields.number("revocationReason")
        revocationType = fields.word("revocationType")
        revocationPercentage = fields.integer("revocationPercentage")
    }
}

extension TransactionFact.Price {
    /// - Parameter name: the name of the amount.
    init?(residue fields: inout ResidueFields, _ name: StaticString) {
        guard let price = fields.integer(name) else { return nil }
        self.init(price: price, currency: fields.symbol("currency"))
    }
}

extension TransactionFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(residue fields: inout ResidueFields) {
        self.init()
        billingPlanType = fields.word("billingPlanType")
        billingPeriodNumber = fields.integer("billingPeriodNumber")
        totalBillingPeriods = fields.integer("totalBillingPeriods")
        commitmentExpiresDate = fields.instant("commitmentExpiresDate")
        commitmentPrice = fields.integer("commitmentPrice")
        if self == Self() { return nil }
    }
}

extension TransactionFact.ItemRevocation {
    fileprivate var residue: JSONValue {
        .object(["SKU": .string(SKU.text), "revocationDate": .integer(revocationDate.milliseconds)])
    }

    fileprivate init?(residue json: JSONView) {
        guard let SKU = json["SKU"]?.string, let date = json["revocationDate"]?.integer else { return nil }
        self.init(SKU: Symbol(SKU), revocationDate: Instant(milliseconds: date))
    }
}
