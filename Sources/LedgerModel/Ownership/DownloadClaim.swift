/// A customer's claim to a download of an app, made by posting its app transaction.
package struct DownloadClaim: Hashable, Sendable {
    package let account: AppAccountKey
    package let customer: CustomerHandle
    package let by: Claim.Authority
    package let position: Position

    package init(account: AppAccountKey, customer: CustomerHandle, by: Claim.Authority, position: Position) {
        self.account = account
        self.customer = customer
        self.by = by
        self.position = position
    }

    fileprivate var statement: Claim.Statement {
        Claim.Statement(customer: customer, by: by, position: position)
    }
}

/// The statements about a download of an app, and the claims to it.
package struct AppDownload: Hashable, Sendable {
    package let account: AppAccountKey
    /// In the total order.
    package let facts: [Observed<AppFact>]
    package let claims: [DownloadClaim]

    package init(account: AppAccountKey, facts: [Observed<AppFact>], claims: [DownloadClaim]) {
        self.account = account
        self.facts = facts
        self.claims = claims
    }

    /// Returns the customers to whom the download belongs: the claims decide as those to a subscription do. Those who
    /// state the same first download may have different Apple accounts, so it belongs to all of them.
    package func owners(_ directory: CustomerDirectory, _ rule: Rules.Customers.ClaimConflict) -> Set<CustomerHandle> {
        account.namesAppleAccount
            ? Set(Ownership.claimants(claims.map(\.statement), directory, rule))
            : Set(claims.map { directory.customer(of: $0.customer) }.filter { !directory.isErased($0) })
    }
}
