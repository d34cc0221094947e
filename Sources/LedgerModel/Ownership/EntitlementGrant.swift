package import Primitives

/// An entitlement that an administrator gives a customer, for example for a purchase outside the App Store.
///
/// Of several grants of one entitlement to a customer, the newest counts, so a grant that ends at once withdraws it.
package struct EntitlementGrant: Hashable, Sendable {
    package let customer: CustomerHandle
    /// The name in the catalogue.
    package let entitlement: Symbol
    package let from: Instant
    /// The end; nil for a grant that does not end.
    package let until: Instant?
    /// The reason, in words.
    package let because: String
    package let position: Position

    package init(
        customer: CustomerHandle, entitlement: Symbol, from: Instant, until: Instant?, because: String,
        position: Position
    ) {
        self.customer = customer
        self.entitlement = entitlement
        self.from = from
        self.until = until
        self.because = because
        self.position = position
    }

    package func covers(_ t: Instant) -> Bool { from <= t && until.map { t < $0 } ?? true }
}

extension [EntitlementGrant] {
    /// Returns the grants to a customer that give an entitlement at `t`, ordered by position. The handles that were merged
    /// into the customer are one customer.
    package func inForce(at t: Instant) -> [EntitlementGrant] {
        let begun = filter { $0.from <= t }
        return begun.filter { grant in
            grant.covers(t)
                && !begun.contains {
                    $0.entitlement == grant.entitlement && $0.position > grant.position
                }
        }
        .sorted { $0.position < $1.position }
    }
}
