package import LedgerModel
package import Primitives
package import SubscriptionStatus

/// The introductory offers that the Apple accounts of a customer used by an instant.
package struct IntroOffers: Sendable {
    /// The purchases of the accounts, oldest first.
    package let purchases: [AccountPurchase]
    private let missing: [MissingHistory]
    private let catalogs: [Symbol: CatalogHistory]
    private let t: Instant

    /// - Parameters:
    ///   - lineages: the customer's lineages, and those that may belong to the same Apple accounts.
    ///   - keys: the keys that name the accounts: those of the customer, and those posted for the customer, because
    ///     Apple looks at the Apple account, whoever owns the key here.
    ///   - downloads: the downloads that name further accounts.
    ///   - states: the rows of all these lineages at `t`.
    package init(
        _ lineages: [Lineage], namedBy keys: Set<SubscriptionKey>, downloads: Set<AppAccountKey> = [],
        _ states: [SubscriptionState], at t: Instant,
        rules: Rules.Intro, catalogs: [Symbol: CatalogHistory]
    ) {
        (self.t, self.catalogs) = (t, catalogs)
        let rows = Dictionary(uniqueKeysWithValues: states.map { ($0.key, $0) })
        let members = lineages.appleAccounts(namedBy: keys, downloads)
        missing = members.flatMap(\.self).filter(\.isHistoryIncomplete).flatMap { lineage in
            lineage.subscriptions.compactMap { MissingHistory($0, at: t, catalogs) }
        }
        let accounts = members.map { account in
            account.flatMap { lineage in
                lineage.subscriptions.flatMap { $0.purchases(at: t, rows[$0.key], lineage, catalogs) }
            }
            .sorted { ($0.start, $0.position, $0.key) < ($1.start, $1.position, $1.key) }
        }
        switch rules.account {
        case .customer:
            purchases = accounts.flatMap(\.self).sorted {
                ($0.start, $0.position, $0.key) < ($1.start, $1.position, $1.key)
            }
        case .account:
            // Apple's ids of accounts differ from app to app.
            let apps = Dictionary(grouping: accounts.filter { !$0.isEmpty }) { $0[0].key.bundle }
            purchases = apps.sorted { $0.key.text < $1.key.text }.flatMap { _, accounts in
                accounts.max { ($0.last?.start ?? .earliest) < ($1.last?.start ?? .earliest) } ?? []
            }
        }
    }

    /// The auto-renewable products of the catalogues, and those that the accounts bought, ordered by name.
    package var products: [ProductName] {
        let bought = purchases.compactMap { purchase in
            purchase.productId.map { ProductName(purchase.key.bundle, $0) }
        }
        let offered = catalogs.flatMap { bundleId, history in
            history.productIds.filter { history.product($0, at: t)?.kind == .autoRenewable }
                .map { ProductName(bundleId, $0) }
        }
        return Set(bought + offered).sorted()
    }

    /// The groups of the purchases, in no order; nil for purchases whose group is not known.
    package var groups: Set<SubscriptionGroup?> { Set(purchases.map(\.group)) }

    /// Returns the answer about a product, also about one that nobody knows.
    package func eligibility(for name: ProductName) -> IntroEligibility { eligibility(in: group(of: name)) }

    /// Returns the answer about the products of a group; nil for a group that is not known.
    package func eligibility(in group: SubscriptionGroup?) -> IntroEligibility {
        let isHistoryMissing = missing.contains { history in group.map(history.mayBelong) ?? false }
        return IntroEligibility(group, purchases, isHistoryMissing: isHistoryMissing)
    }

    /// Returns the group of a product: that of the catalogue, else that of a purchase of it.
    package func group(of name: ProductName) -> SubscriptionGroup? {
        product(name)?.group.map { SubscriptionGroup(name.bundleId, $0) }
            ?? purchases.lazy.filter { $0.productId == name.productId && $0.key.bundle == name.bundleId }
            .compactMap(\.group).first
    }

    /// Returns the introductory offer in effect; nil if there is none or the catalogue lacks the product.
    package func introductoryOffer(of name: ProductName) -> CatalogOffer? { product(name)?.introductoryOffer }

    /// Returns the charges for a product if the customer subscribes at `t`; none if the catalogue lacks the product, and
    /// while the eligibility is not known.
    package func schedule(of name: ProductName, _ eligibility: IntroEligibility) -> [ScheduledCharge] {
        guard let product = product(name), let duration = product.duration, let isEligible = eligibility.isEligible
        else { return [] }
        let standard = purchases.last {
            $0.productId == name.productId && $0.key.bundle == name.bundleId && $0.isStandard && $0.price != nil
        }
        return ScheduledCharge.all(
            of: isEligible ? product.introductoryOffer : nil, duration: duration, standard: standard?.price, from: t)
    }

    private func product(_ name: ProductName) -> CatalogProduct? {
        catalogs[name.bundleId]?.product(name.productId, at: t)
    }
}
