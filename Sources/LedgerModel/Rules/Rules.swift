/// The decisions that a business may configure, as one value.
package struct Rules: Hashable, Sendable {
    package var access = Access()
    package var customers = Customers()

    package init() {}
}

extension Rules {
    /// The rules of access where Apple's statements alone do not decide it.
    package struct Access: Hashable, Sendable {
        package enum ProratedRefund: String, Sendable, CaseIterable { case revoke, keepToExpiry }

        /// The number of days of billing retry with full access, from the end of the period.
        package var ownGraceDays = 0
        /// The number of days after those with limited access.
        package var limitedAccessDays = 0
        /// The minutes to wait for an overdue renewal. Outside Production, at most 5 and at most a tenth of the period.
        package var renewalLeewayMinutes = 60
        package var proratedRefund = ProratedRefund.revoke

        package init() {}
    }

    package struct Customers: Hashable, Sendable {
        /// The owner of a key that two customers claim with equal strength.
        package enum ClaimConflict: String, Sendable, CaseIterable { case keepFirst, move, share }

        package var claimConflict = ClaimConflict.keepFirst

        package init() {}
    }
}
