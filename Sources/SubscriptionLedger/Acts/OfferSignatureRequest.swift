import AppStoreModel
import LedgerModel
package import Primitives

/// A request for the signatures of an offer to a customer: `POST /v1/offer-signatures`.
package struct OfferSignatureRequest: Hashable, Sendable {
    package let customerId: String
    package let productId: String
    /// A promotional offer; nil for the introductory offer of the product.
    package let offerId: String?
    /// The app; nil for the only configured one that has the product.
    package let bundleId: String?
    /// The token that the app passes to the purchase.
    let appAccountToken: AppAccountToken?
    /// The caller's name of the request; nil for a request of its own.
    package let idempotencyKey: String?

    private static let members = ["customerId", "productId", "offerId", "bundleId", "appAccountToken"]
    private static let byteLimit = 256

    /// Reads the body of a request.
    /// - Throws: `posting_malformed`.
    package init(body: JSONView, idempotencyKey: String?) throws(CustomerError) {
        try body.requireMembers(Self.members)
        customerId = try body.requiredText(of: "customerId")
        productId = try Self.checked("productId", try body.requiredText(of: "productId"))
        let offer = try body.text(of: "offerId")
        offerId = if let offer { try Self.checked("offerId", offer) } else { nil }
        bundleId = try body.text(of: "bundleId")
        let token = try body.text(of: "appAccountToken")
        appAccountToken = token.flatMap { AppAccountToken($0) }
        if let token, appAccountToken == nil {
            throw .malformed("appAccountToken", expected: "a UUID", found: token)
        }
        self.idempotencyKey =
            if let idempotencyKey { try Self.checked("Idempotency-Key", idempotencyKey) } else { nil }
    }

    private static func checked(_ name: String, _ text: String) throws(CustomerError) -> String {
        guard (1...byteLimit).contains(text.utf8.count) else {
            throw .malformed(name, expected: "1 to \(byteLimit) bytes", found: "\(text.utf8.count)")
        }
        return text
    }
}
