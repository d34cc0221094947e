import LedgerModel

/// A caller's own name of a customer: an id, or the appAccountToken that it gave Apple. On the disk it is in the vault
/// alone, by its HMAC; in memory the answers that are remembered are filed under it. It is never in the log, in an
/// error or in what is logged.
package struct CustomerName: Sendable {
    /// Longer ids are refused. Ids in use are UUIDs, numbers, hashes and e-mail addresses, which have at most 254.
    static let byteLimit = 256

    /// What the vault files it under.
    let bytes: [UInt8]
    /// The token it is, when it is one: a UUID names the same customer however it is written.
    let token: AppAccountToken?

    /// - Throws: `customer_id_invalid`.
    package init(_ externalId: String) throws(CustomerError) {
        let count = externalId.utf8.count
        guard (1...Self.byteLimit).contains(count) else {
            throw CustomerError(
                .customerIdInvalid, "the customer id has a length that is not accepted",
                expected: "1 to \(Self.byteLimit) bytes", found: "\(count)")
        }
        token = AppAccountToken(externalId)
        bytes = Array((token?.text ?? externalId).utf8)
    }

    init(_ token: AppAccountToken) {
        self.token = token
        bytes = Array(token.text.utf8)
    }
}
