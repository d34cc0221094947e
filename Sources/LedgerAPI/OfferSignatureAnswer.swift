package import Primitives

/// The response to a request for the signatures of an offer. Which of them an app needs depends on the version of
/// StoreKit: `signature` with its nonce and time, or `jws` alone.
package struct OfferSignatureAnswer: Hashable, Sendable {
    package var bundleId: String
    package var productId: String
    /// The promotional offer; nil for the introductory offer.
    package var offerId: String?
    /// The customer's transaction, or app transaction, that the signatures name.
    package var transactionId: String?
    package var keyId: String
    package var nonce: String
    package var timestamp: Instant
    /// The token in the signature.
    package var appAccountToken: String?
    /// ECDSA in DER, as base64; nil for an introductory offer.
    package var signature: String?
    package var jws: String

    package init(
        bundleId: String, productId: String, offerId: String?, transactionId: String?, keyId: String, nonce: String,
        timestamp: Instant, appAccountToken: String?, signature: String?, jws: String
    ) {
        self.bundleId = bundleId
        self.productId = productId
        self.offerId = offerId
        self.transactionId = transactionId
        self.keyId = keyId
        self.nonce = nonce
        self.timestamp = timestamp
        self.appAccountToken = appAccountToken
        self.signature = signature
        self.jws = jws
    }
}

extension OfferSignatureAnswer: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "bundleId": .string(bundleId), "productId": .string(productId), "offerId": JSONValue(offerId),
            "transactionId": JSONValue(transactionId), "keyId": .string(keyId), "nonce": .string(nonce),
            "timestamp": .integer(timestamp.milliseconds), "appAccountToken": JSONValue(appAccountToken),
            "signature": JSONValue(signature), "jws": .string(jws),
        ])
    }
}
