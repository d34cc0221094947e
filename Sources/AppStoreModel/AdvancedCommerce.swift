package import Primitives

/// `advancedCommerceInfo` of a transaction. Amounts are milliunits of the transaction's currency.
package struct AdvancedCommerceTransactionInfo: Sendable {
    package let requestReferenceId: String?
    package let taxCode: String?
    package let taxRate: String?
    package let taxExclusivePrice: Int64?
    package let estimatedTax: Int64?
    package let period: String?
    package let descriptors: AdvancedCommerceDescriptors?
    package let items: [Item]?

    init(_ payload: JSONView) throws(PayloadError) {
        let reader = try PayloadReader(payload)
        requestReferenceId = reader.string("requestReferenceId")
        taxCode = reader.string("taxCode")
        taxRate = reader.string("taxRate")
        taxExclusivePrice = reader.integer("taxExclusivePrice")
        estimatedTax = reader.integer("estimatedTax")
        period = reader.string("period")
        descriptors = try reader.object("descriptors", AdvancedCommerceDescriptors.init)
        items = try reader.objects("items", Item.init)
    }

    package struct Item: Sendable {
        package let SKU: String?
        package let description: String?
        package let displayName: String?
        package let price: Int64?
        package let offer: AdvancedCommerceOffer?
        package let refunds: [Refund]?
        package let revocationDate: Instant?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            SKU = reader.string("SKU")
            description = reader.string("description")
            displayName = reader.string("displayName")
            price = reader.integer("price")
            offer = try reader.object("offer", AdvancedCommerceOffer.init)
            refunds = try reader.objects("refunds", Refund.init)
            revocationDate = try reader.date("revocationDate")
        }
    }

    package struct Refund: Sendable {
        package let refundAmount: Int64?
        package let refundDate: Instant?
        package let refundReason: String?
        /// FULL, PRORATED, CUSTOM.
        package let refundType: String?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            refundAmount = reader.integer("refundAmount")
            refundDate = try reader.date("refundDate")
            refundReason = reader.string("refundReason")
            refundType = reader.string("refundType")
        }
    }
}

/// `advancedCommerceInfo` of a renewal info.
package struct AdvancedCommerceRenewalInfo: Sendable {
    package let consistencyToken: String?
    package let requestReferenceId: String?
    package let taxCode: String?
    package let period: String?
    package let descriptors: AdvancedCommerceDescriptors?
    package let items: [Item]?

    init(_ payload: JSONView) throws(PayloadError) {
        let reader = try PayloadReader(payload)
        consistencyToken = reader.string("consistencyToken")
        requestReferenceId = reader.string("requestReferenceId")
        taxCode = reader.string("taxCode")
        period = reader.string("period")
        descriptors = try reader.object("descriptors", AdvancedCommerceDescriptors.init)
        items = try reader.objects("items", Item.init)
    }

    package struct Item: Sendable {
        package let SKU: String?
        package let description: String?
        package let displayName: String?
        package let price: Int64?
        package let offer: AdvancedCommerceOffer?
        package let priceIncreaseInfo: PriceIncreaseInfo?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            SKU = reader.string("SKU")
            description = reader.string("description")
            displayName = reader.string("displayName")
            price = reader.integer("price")
            offer = try reader.object("offer", AdvancedCommerceOffer.init)
            priceIncreaseInfo = try reader.object("priceIncreaseInfo", PriceIncreaseInfo.init)
        }
    }

    package struct PriceIncreaseInfo: Sendable {
        package let dependentSKUs: [String]?
        package let price: Int64?
        /// SCHEDULED, PENDING, ACCEPTED.
        package let status: String?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            dependentSKUs = reader.strings("dependentSKUs")
            price = reader.integer("price")
            status = reader.string("status")
        }
    }
}

package struct AdvancedCommerceDescriptors: Sendable {
    package let description: String?
    package let displayName: String?

    init(_ payload: JSONView) throws(PayloadError) {
        let reader = try PayloadReader(payload)
        description = reader.string("description")
        displayName = reader.string("displayName")
    }
}

package struct AdvancedCommerceOffer: Sendable {
    package let period: String?
    package let periodCount: Int64?
    package let price: Int64?
    /// ACQUISITION, WIN_BACK, RETENTION.
    package let reason: String?

    init(_ payload: JSONView) throws(PayloadError) {
        let reader = try PayloadReader(payload)
        period = reader.string("period")
        periodCount = reader.integer("periodCount")
        price = reader.integer("price")
        reason = reader.string("reason")
    }
}
