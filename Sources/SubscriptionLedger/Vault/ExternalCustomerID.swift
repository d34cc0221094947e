import LedgerModel

/// A caller's id of a customer: any text, or the appAccountToken of the purchase.
///
/// On disk, only the vault contains an id, encrypted and indexed by its HMAC. In memory, it is the key of cached
/// answers. Records, errors and log messages contain no ids. Evidence contains tokens, which the vault does not encrypt.
package struct ExternalCustomerID: Hashable, Sendable {
    /// The maximum length of an id in bytes. Ids in use are UUIDs, numbers, hashes and e-mail addresses, which have at
    /// most 254 bytes.
    static let byteLimit = 256

    /// The bytes that the vault indexes by their HMAC.
    let bytes: [UInt8]
    /// The token, if the id is a UUID. Upper and lower case of a UUID name the same customer.
    let token: AppAccountToken?

    /// - Throws: `customer_id_invalid`.
    package init(_ externalId: String) throws(CustomerError) {
        let count = externalId.utf8.count
        guard (1...Self.byteLimit).contains(count) else {
            throw CustomerError(
                .customerIdInvalid, "invalid length of the customer id",
                expected: "1 to \(Self.byteLimit) bytes", found: "\(count)")
        }
        // Clients remove dot segments from a URL before sending it, so a request with this id would not reach its
        // route.
        guard externalId != ".", externalId != ".." else {
            throw CustomerError(
                .customerIdInvalid, "the customer id cannot be used in a URL",
                expected: "an id that is not a dot segment (RFC 3986 §3.3)", found: "a dot segment")
        }
        token = AppAccountToken(externalId)
        bytes = Array((token?.text ?? externalId).utf8)
    }

    init(_ token: AppAccountToken) {
        self.token = token
        bytes = Array(token.text.utf8)
    }
}
