import AppStoreModel

/// The JWS inside a notification must agree with it on bundleId and environment, and with each other on
/// originalTransactionId. Nothing else must match: the renewal info's productId may differ from the transaction's.
enum NestedPolicy {
    static func check(bundleId: String?, inside outer: Notification, part: String) throws(Refusal) {
        guard bundleId == outer.bundleId else {
            throw mismatch("bundleId", expected: outer.bundleId, found: bundleId, part)
        }
    }

    static func check(environment: Environment?, inside outer: Notification, part: String) throws(Refusal) {
        guard environment == outer.environment else {
            throw mismatch("environment", expected: outer.environment?.rawValue, found: environment?.rawValue, part)
        }
    }

    static func check(_ renewalInfo: RenewalInfo, beside transaction: Transaction?) throws(Refusal) {
        guard let transaction, renewalInfo.originalTransactionId != transaction.originalTransactionId else { return }
        throw mismatch(
            "originalTransactionId", expected: transaction.originalTransactionId,
            found: renewalInfo.originalTransactionId, "signedRenewalInfo")
    }

    private static func mismatch(_ claim: String, expected: String?, found: String?, _ part: String) -> Refusal {
        Refusal(
            .nestedMismatch, "\(claim) differs between nested and outer payload", expected: expected ?? "none",
            found: found ?? "none", part: part)
    }
}
