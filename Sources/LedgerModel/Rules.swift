/// What a business may decide differently, as one value.
package struct Rules: Hashable, Sendable {
    package var access = Access()
    package var customers = Customers()

    package init() {}
}

extension Rules {
    /// What opens access where Apple's words alone do not settle it.
    package struct Access: Hashable, Sendable {
        package enum ProratedRefund: String, Sendable, CaseIterable { case revoke, keepToExpiry }

        /// Full access for so many days of billing retry.
        package var ownGraceDays = 0
        /// Limited access for so many days after those.
        package var limitedAccessDays = 0
        /// How long a renewal that should have come is waited for; outside Production at most 5.
        package var renewalLeewayMinutes = 60
        package var proratedRefund = ProratedRefund.revoke

        package init() {}
    }

    package struct Customers: Hashable, Sendable {
        /// Who owns a key that two customers claim with equal strength.
        package enum ClaimConflict: String, Sendable, CaseIterable { case keepFirst, move, share }

        package var claimConflict = ClaimConflict.keepFirst

        package init() {}
    }
}
