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

    init(_ reader: PayloadReader) throws(PayloadError) {
        requestReferenceId = try reader.string("requestReferenceId")
        taxCode = try reader.string("taxCode")
        taxRate = try reader.string("taxRate")
        taxExclusivePrice = try reader.integer("taxExclusivePrice")
        estimatedTax = try reader.integer("estimatedTax")
        period = try reader.string("period")
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

        init(_ reader: PayloadReader) throws(PayloadError) {
            SKU = try reader.string("SKU")
            description = try reader.string("description")
            displayName = try reader.string("displayName")
            price = try reader.integer("price")
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

        init(_ reader: PayloadReader) throws(PayloadError) {
            refundAmount = try reader.integer("refundAmount")
            refundDate = try reader.date("refundDate")
            refundReason = try reader.string("refundReason")
            refundType = try reader.string("refundType")
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

    init(_ reader: PayloadReader) throws(PayloadError) {
        consistencyToken = try reader.string("consistencyToken")
        requestReferenceId = try reader.string("requestReferenceId")
        taxCode = try reader.string("taxCode")
        period = try reader.string("period")
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

        init(_ reader: PayloadReader) throws(PayloadError) {
            SKU = try reader.string("SKU")
            description = try reader.string("description")
            displayName = try reader.string("displayName")
            price = try reader.integer("price")
            offer = try reader.object("offer", AdvancedCommerceOffer.init)
            priceIncreaseInfo = try reader.object("priceIncreaseInfo", PriceIncreaseInfo.init)
        }
    }

    package struct PriceIncreaseInfo: Sendable {
        package let dependentSKUs: [String]?
        package let price: Int64?
        /// SCHEDULED, PENDING, ACCEPTED.
        package let status: String?

        init(_ reader: PayloadReader) throws(PayloadError) {
            dependentSKUs = try reader.strings("dependentSKUs")
            price = try reader.integer("price")
            status = try reader.string("status")
        }
    }
}

package struct AdvancedCommerceDescriptors: Sendable {
    package let description: String?
    package let displayName: String?

    init(_ reader: PayloadReader) throws(PayloadError) {
        description = try reader.string("description")
        displayName = try reader.string("displayName")
    }
}

package struct AdvancedCommerceOffer: Sendable {
    package let period: String?
    package let periodCount: Int64?
    package let price: Int64?
    /// ACQUISITION, WIN_BACK, RETENTION.
    package let reason: String?

    init(_ reader: PayloadReader) throws(PayloadError) {
        period = try reader.string("period")
        periodCount = try reader.integer("periodCount")
        price = try reader.integer("price")
        reason = try reader.string("reason")
    }
}
