import LedgerModel

/// A caller's id of a customer: any text, or the appAccountToken of the purchase.
///
/// On disk only the vault has it, encrypted and indexed by its HMAC. In memory it is the key of cached answers. The
/// ledger's own events, errors and log messages never contain it.
package struct CustomerName: Hashable, Sendable {
    /// The longest id. Ids in use are UUIDs, numbers, hashes and e-mail addresses, which have at most 254 bytes.
    static let byteLimit = 256

    /// The bytes that the vault indexes by their HMAC.
    let bytes: [UInt8]
    /// The token, if the id is a UUID. A UUID names the same customer in upper and lower case.
    let token: AppAccountToken?

    /// - Throws: `customer_id_invalid`.
    package init(_ externalId: String) throws(CustomerError) {
        let count = externalId.utf8.count
        guard (1...Self.byteLimit).contains(count) else {
            throw CustomerError(
                .customerIdInvalid, "the length of the customer id is not accepted",
                expected: "1 to \(Self.byteLimit) bytes", found: "\(count)")
        }
        // Clients resolve these out of a URL before it is sent, so that no route about the customer is reached.
        guard externalId != ".", externalId != ".." else {
            throw CustomerError(
                .customerIdInvalid, "the customer id cannot stand in a URL",
                expected: "an id that is no dot segment (RFC 3986 §3.3)", found: "a dot segment")
        }
        token = AppAccountToken(externalId)
        bytes = Array((token?.text ?? externalId).utf8)
    }

    init(_ token: AppAccountToken) {
        self.token = token
        bytes = Array(token.text.utf8)
    }
}
