/// The required state, by instant, of the one subscription in the real sandbox notifications of
/// `notifications-v2/session-*`.
package struct SessionConformance: Sendable {
    package static let originalTransactionId = "2000001024993299"

    /// The instant in epoch milliseconds.
    package let t: Int64
    /// The status; nil before the subscription begins, when nothing is listed.
    package let status: String?
    // In the other fields nil means that the row does not check them.
    package var reason: String?
    package var productId: String?
    package var willRenew: Bool?
    /// Epoch milliseconds.
    package var expiresAt: Int64?
    /// Epoch milliseconds.
    package var accessUntil: Int64?

    package static let table: [SessionConformance] = {
        let month = "com.getsession.org.pro_sub"
        let quarter = "com.getsession.org.pro_sub_3_months"
        return [
            .init(t: 1_759_302_518_834, status: nil),
            // The renewal charged ahead begins at the end of this period.
            .init(
                t: 1_759_302_518_835, status: "active", productId: month, willRenew: true,
                expiresAt: 1_759_302_552_000, accessUntil: 1_759_302_750_000),
            .init(
                t: 1_759_302_731_999, status: "active", reason: "paid", willRenew: true, expiresAt: 1_759_302_732_000),
            // A renewal is awaited for a tenth of the period.
            .init(t: 1_759_302_732_000, status: "active", reason: "awaitingRenewal", accessUntil: 1_759_302_750_000),
            .init(t: 1_759_302_749_999, status: "active", reason: "awaitingRenewal"),
            .init(t: 1_759_302_750_000, status: "expired", reason: "unknown", willRenew: false),
            .init(t: 1_759_388_766_999, status: "expired", reason: "unknown"),
            .init(t: 1_759_388_767_000, status: "active", reason: "paid", expiresAt: 1_759_388_947_000),
            .init(
                t: 1_759_388_856_473, status: "active", reason: "paid", willRenew: false,
                expiresAt: 1_759_388_947_000),
            .init(t: 1_759_388_947_000, status: "expired", reason: "cancelled"),
            .init(t: 1_760_335_200_000, status: "active", productId: month, expiresAt: 1_760_335_309_000),
            .init(
                t: 1_760_592_122_788, status: "active", productId: quarter, willRenew: true,
                expiresAt: 1_760_592_314_000),
            .init(t: 1_760_592_314_000, status: "active", reason: "awaitingRenewal"),
            .init(t: 1_760_592_367_999, status: "active", reason: "awaitingRenewal"),
            .init(t: 1_760_592_368_000, status: "expired", reason: "unknown"),
        ]
    }()
}
