/// A statement about customers in one of the ledger's own events.
package enum CustomerFact: Hashable, Sendable {
    /// The event customerLinked.
    case claim(Claim)
    /// The event linkRefused.
    case refusedClaim(Claim)
    /// The event subscriptionTransferred.
    case transfer(Transfer)
    /// The events customersMerged, customersUnmerged and customerErased.
    case directory(DirectoryChange)
    /// The event tokenMapped.
    case token(TokenMapping)
    /// The event entitlementGranted.
    case grant(EntitlementGrant)
    /// The event customerLinked of a download of an app.
    case download(DownloadClaim)
    /// The event consentRecorded.
    case consent(ConsumptionConsent)

    package var position: Position {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): claim.position
        case .transfer(let transfer): transfer.position
        case .directory(let change): change.position
        case .token(let mapping): mapping.position
        case .grant(let grant): grant.position
        case .download(let claim): claim.position
        case .consent(let consent): consent.position
        }
    }
}

/// The mapping of an appAccountToken to a customer. Only the first mapping of a token counts.
package struct TokenMapping: Hashable, Sendable {
    package let token: AppAccountToken
    package let customer: CustomerHandle
    package let position: Position

    package init(token: AppAccountToken, customer: CustomerHandle, position: Position) {
        self.token = token
        self.customer = customer
        self.position = position
    }
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

    /// A claim apart from what is claimed.
    package struct Statement: Hashable, Sendable {
        package let customer: CustomerHandle
        package let by: Authority
        package let position: Position
    }

    package var statement: Statement { Statement(customer: customer, by: by, position: position) }

    /// The strength of a claim or a merge, weakest first.
    package enum Authority: Comparable, Sendable, CaseIterable {
        /// A claim of an anonymous customer, with any caller's key.
        case anonymous
        case app
        case backend
    }
}

extension Claim.Authority {
    /// The name in events.
    package var name: String {
        switch self {
        case .anonymous: "anonymous"
        case .app: "app"
        case .backend: "backend"
        }
    }

    /// - Parameter name: a name from an event; an administrator counts as a backend.
    package init?(name: String) {
        guard let authority = Self.allCases.first(where: { $0.name == name || (name == "admin" && $0 == .backend) })
        else { return nil }
        self = authority
    }
}

/// An administrator's decision about one key. It outranks tokens and claims.
package struct Transfer: Hashable, Sendable {
    package let key: SubscriptionKey
    package let customer: CustomerHandle
    package let position: Position

    package init(key: SubscriptionKey, customer: CustomerHandle, position: Position) {
        self.key = key
        self.customer = customer
        self.position = position
    }
}

/// A merge of two customers, its reversal, or the erasure of a customer.
package enum DirectoryChange: Hashable, Sendable {
    case merge(Merge)
    case unmerge(Unmerge)
    case erasure(Erasure)

    package var position: Position {
        switch self {
        case .merge(let merge): merge.position
        case .unmerge(let unmerge): unmerge.position
        case .erasure(let erasure): erasure.position
        }
    }

    /// The customer that is merged into another, separated from it, or erased.
    package var customer: CustomerHandle {
        switch self {
        case .merge(let merge): merge.customer
        case .unmerge(let unmerge): unmerge.customer
        case .erasure(let erasure): erasure.customer
        }
    }

    /// The customer into which the other is merged; the erased customer itself.
    package var into: CustomerHandle {
        switch self {
        case .merge(let merge): merge.into
        case .unmerge(let unmerge): unmerge.into
        case .erasure(let erasure): erasure.customer
        }
    }
}

/// The erasure of a customer. Its claims, and those of the customers merged into it, are void from then on.
package struct Erasure: Hashable, Sendable {
    package let customer: CustomerHandle
    package let position: Position

    package init(customer: CustomerHandle, position: Position) {
        self.customer = customer
        self.position = position
    }
}

/// A merge of one customer into another, until an unmerge undoes it.
package struct Merge: Hashable, Sendable {
    package let customer: CustomerHandle
    package let into: CustomerHandle
    /// The minimum strength of the merged customer's claims from `position` on.
    package let by: Claim.Authority
    package let position: Position

    package init(customer: CustomerHandle, into: CustomerHandle, by: Claim.Authority, position: Position) {
        self.customer = customer
        self.into = into
        self.by = by
        self.position = position
    }
}

/// The reversal of a merge. Claims made since the merge keep their customers.
package struct Unmerge: Hashable, Sendable {
    package let customer: CustomerHandle
    package let into: CustomerHandle
    package let position: Position

    package init(customer: CustomerHandle, into: CustomerHandle, position: Position) {
        self.customer = customer
        self.into = into
        self.position = position
    }
}
