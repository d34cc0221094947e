package import Primitives

/// The offer of a period, apart from the reason of its status.
package struct OfferTerms: Hashable, Sendable {
    /// `introductory`, `promotional`, `offerCode`, `winBack`, or Apple's number for a type added later.
    package let type: String?
    package let id: String?
    /// `freeTrial`, `payAsYouGo`, `payUpFront`, `oneTime`, or Apple's word for one added later.
    package let discountType: String?
    /// ISO 8601 duration of the whole offer.
    package let period: String?

    package init(type: String?, id: String?, discountType: String?, period: String?) {
        self.type = type
        self.id = id
        self.discountType = discountType
        self.period = period
    }
}

extension OfferTerms: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "type": JSONValue(type), "id": JSONValue(id), "discountType": JSONValue(discountType),
            "period": JSONValue(period),
        ])
    }
}
