/// What one of the ledger's own events says of customers.
package enum CustomerFact: Hashable, Sendable {
    /// customerLinked
    case claim(Claim)
    /// customersMerged
    case merge(Merge)
}

/// A customer's claim to a key.
package struct Claim: Hashable, Sendable {
    package let key: SubscriptionKey
    package let customer: CustomerHandle
    package let by: Authority
    package let position: Position

    package init(key: SubscriptionKey, customer: CustomerHandle, by: Authority, position: Position) {
        self.key = key
        self.customer = customer
        self.by = by
        self.position = position
    }

    /// On whose word, weakest first, as compared.
    package enum Authority: Comparable, Sendable, CaseIterable {
        /// For a customer who has not said who they are, with whatever key.
        case anonymous
        case app
        case backend
    }
}

extension Claim.Authority {
    /// The word for it in events.
    package var name: String {
        switch self {
        case .anonymous: "anonymous"
        case .app: "app"
        case .backend: "backend"
        }
    }

    package init?(name: String) {
        guard let authority = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = authority
    }
}

extension Claim {
    /// A claim from before the customer was known counts, once they are, as the least of the known.
    package func authority(in roster: CustomerRoster) -> Authority {
        roster.customer(of: customer) == customer ? by : max(by, .app)
    }
}

/// One customer turned out to be another, for good.
package struct Merge: Hashable, Sendable {
    package let customer: CustomerHandle
    package let into: CustomerHandle
    package let position: Position

    package init(customer: CustomerHandle, into: CustomerHandle, position: Position) {
        self.customer = customer
        self.into = into
        self.position = position
    }
}
