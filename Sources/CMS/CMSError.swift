/// The reason that a message is not accepted.
package enum CMSError: Error, Hashable, Sendable {
    /// The bytes are not a SignedData message with its content.
    case malformed
    /// More certificates or signers than any message needs.
    case tooMany(String)
    /// Nobody signed the message, or a signer's certificate is not in it.
    case signerMissing
    /// A digest or signature algorithm other than RSA with SHA-1 or SHA-256. The text is its name or its OID.
    case algorithmUnsupported(String)
    /// The signer's certificate has no path to an anchor. The text is OpenSSL's reason.
    case untrusted(String)
    /// The signature does not match the content.
    case signatureInvalid
}
