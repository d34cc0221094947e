@_spi(Verification) package import AppStoreModel
import CMS
package import Primitives

/// One verified app receipt: its bytes, its content, and the proof of its signature.
package struct VerifiedReceipt: Sendable {
    /// The evidence: the PKCS#7 container as it was delivered, without base64.
    package let container: [UInt8]
    package let receipt: Verified<AppReceipt>
    /// Its `signingInput` is the SHA-256 of the signed content. Certificates, and bytes after the container, may change
    /// without it.
    package let proof: Proof
    /// Nil, or the version of the app in the receipt when it is not the expected one.
    package let otherApplicationVersion: String?
}

/// The device and the version of the app that posted a receipt; nil where unknown.
package struct ReceiptDevice: Sendable, Hashable {
    /// The 16 bytes of identifierForVendor; on macOS, the 6 bytes of the primary network address.
    package let guid: [UInt8]?
    package let applicationVersion: String?

    package init(guid: [UInt8]? = nil, applicationVersion: String? = nil) {
        self.guid = guid
        self.applicationVersion = applicationVersion
    }

    /// Reads a GUID as hexadecimal digits, with or without hyphens or colons; nil for any other text.
    package static func guid(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != "-" && $0 != ":" }
        guard let bytes = Hex.decode(digits.lowercased()), bytes.count == 16 || bytes.count == 6 else { return nil }
        return bytes
    }
}

/// A receipt read back from the log.
package struct StoredReceipt: Sendable {
    package let receipt: Verified<AppReceipt>
    /// The SHA-256 of the signed content.
    package let content: Digest

    init(_ verified: VerifiedReceipt) {
        receipt = verified.receipt
        content = verified.proof.signingInput
    }

    /// - Parameter container: the bytes of the receipt; in base64 where an answer carries it.
    init(_ container: [UInt8]) throws(Refusal) {
        let container = try ReceiptBytes.decoded(container)
        let message = try Refusal.rethrowing { () throws(CMSError) in try SignedMessage(parsing: container) }
        content = .sha256(of: message.content)
        receipt = Verified(payload: try AppReceipt(asn1: message.content))
    }
}
