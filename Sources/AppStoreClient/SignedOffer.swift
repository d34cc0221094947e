import Crypto
import JWTKit
package import Primitives

/// An offer that the App Store accepts with a signature of the developer.
package struct SignedOffer: Hashable, Sendable {
    package let productId: String
    /// The promotional offer; nil for the introductory offer of the product.
    package let offerId: String?
    /// Any transaction of the customer, or the customer's app transaction.
    package let transactionId: String?
    /// Used once.
    package let nonce: UUIDBytes
    package let signedAt: Instant

    package init(productId: String, offerId: String?, transactionId: String?, nonce: UUIDBytes, signedAt: Instant) {
        self.productId = productId
        self.offerId = offerId
        self.transactionId = transactionId
        self.nonce = nonce
        self.signedAt = signedAt
    }
}

extension ServerAPICredentials {
    /// Signs a promotional offer for `paymentDiscount`, which is valid for 24 hours.
    /// https://developer.apple.com/documentation/storekit/generating-a-signature-for-promotional-offers
    /// - Parameters:
    ///   - offerId: the promotional offer.
    ///   - username: `applicationUsername` or `appAccountToken` of the purchase; empty for none.
    /// - Returns: an ECDSA signature in DER, as base64.
    package func signature(of offer: SignedOffer, offerId: String, username: String) throws -> String {
        let parts = [
            bundleId, keyId, offer.productId, offerId, username.lowercased(), offer.nonce.text,
            String(offer.signedAt.milliseconds),
        ]
        let signature = try signingKey.signature(for: Array(parts.joined(separator: "\u{2063}").utf8))
        return Base64.encode(signature.derRepresentation)
    }

    /// Signs an offer as JWS: a promotional one, or that the customer may get the introductory offer.
    /// https://developer.apple.com/documentation/storekit/generating-jws-to-sign-app-store-requests
    package func jws(of offer: SignedOffer) async throws -> String {
        try await sign(
            OfferClaims(
                iss: issuerId, iat: Int(offer.signedAt.milliseconds / 1_000),
                aud: offer.offerId == nil ? "introductory-offer-eligibility" : "promotional-offer", bid: bundleId,
                nonce: offer.nonce.text, productId: offer.productId, offerIdentifier: offer.offerId,
                allowIntroductoryOffer: offer.offerId == nil ? true : nil, transactionId: offer.transactionId))
    }

    private struct OfferClaims: JWTPayload {
        let iss: String
        let iat: Int
        let aud: String
        let bid: String
        let nonce: String
        let productId: String
        let offerIdentifier: String?
        let allowIntroductoryOffer: Bool?
        let transactionId: String?

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
