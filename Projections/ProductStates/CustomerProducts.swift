import AppStoreModel
package import LedgerModel
package import Primitives
package import SubscriptionStatus

/// The products and entitlements of one customer at an instant.
package struct CustomerProducts: Sendable {
    /// The products of the catalogues, and those that the customer bought, ordered by name. Consumables have no state.
    package private(set) var products: [ProductStateRow]
    /// Ordered by bundle id and group.
    package private(set) var groups: [GroupStateRow]
    /// Ordered by name.
    package private(set) var entitlements: [Entitlement]
    /// Whether a purchase, a paid download or a grant entitles the customer, also a purchase of a product that no
    /// catalogue has.
    package private(set) var isEntitled: Bool
    /// The services of non-renewing subscriptions whose duration is known, ordered by product and purchase.
    package let services: [NonRenewingService]
    /// The instants at which time alone may change the answer, besides those of the rows and purchases.
    package let turningPoints: [Instant]
    private let sources: EntitlementSources
    private(set) var states: [SubscriptionState]
    /// The end of each trial of an app without subscriptions.
    let trials: [ProductName: Instant]
    let shelf: Shelf

    /// - Parameters:
    ///   - states: the rows of the customer's keys at `t`.
    ///   - subscriptions: the customer's keys, with their histories.
    ///   - purchases: the customer's one-time purchases.
    ///   - downloads: the customer's downloads of apps.
    ///   - grants: the grants to the customer.
    ///   - catalogs: the catalogues of the apps in question.
    package init(
        _ states: [SubscriptionState], of subscriptions: [Subscription],
        purchases: [SubscriptionKey: [OneTimePurchase]], downloads: [AppDownload], grants: [EntitlementGrant],
        at t: Instant, catalogs: [Symbol: CatalogHistory]
    ) {
        self.states = states
        shelf = Shelf(catalogs: catalogs, t: t)
        services = purchases.services(at: t, shelf)
        let trials = subscriptions.trials(shelf)
        self.trials = trials
        let rows = Dictionary(states.map { ($0.key, $0) }) { first, _ in first }
        var uses =
            subscriptions.flatMap { $0.pastUses(at: t, rows[$0.key]) }
            + states.compactMap { ProductUse($0, trials, at: t) }
            + purchases.uses(of: services, at: t)
        for index in uses.indices where uses[index].isActive {
            uses[index].entitlements = shelf.entitlements(of: uses[index].product)
        }
        sources = EntitlementSources(
            uses: uses, downloads: downloads.compactMap(shelf.paid), grants: grants.inForce(at: t))
        turningPoints =
            services.flatMap { [$0.range.lowerBound, $0.range.upperBound] } + Array(trials.values)
            + downloads.flatMap { [$0.originalPurchaseDate, $0.expirationDate].compactMap(\.self) }
            + grants.flatMap { [$0.from] + ($0.until.map { [$0] } ?? []) }
            + catalogs.values.flatMap(\.effectiveDates)
        isEntitled = sources.isEntitled
        entitlements = sources.entitlements
        products = shelf.states(uses, listsUnused: true)
        groups = products.groups
    }

    /// Returns the products and entitlements of these keys and downloads alone, without grants, and without products
    /// that none of the keys has.
    package func limited(to keys: Set<SubscriptionKey>, downloads: Set<AppAccountKey>) -> CustomerProducts {
        let sources = EntitlementSources(
            uses: sources.uses.filter { keys.contains($0.key) },
            downloads: sources.downloads.filter { downloads.contains($0.account) }, grants: [])
        var limited = self
        limited.states.removeAll { !keys.contains($0.key) }
        limited.isEntitled = sources.isEntitled
        limited.entitlements = sources.entitlements
        limited.products = shelf.states(sources.uses, listsUnused: false)
        limited.groups = limited.products.groups
        return limited
    }
}

/// The catalogues of the apps in question, as of an instant.
struct Shelf: Sendable {
    let catalogs: [Symbol: CatalogHistory]
    let t: Instant

    func product(_ name: ProductName, at instant: Instant) -> CatalogProduct? {
        catalogs[name.bundleId]?.product(name.productId, at: instant)
    }

    /// Returns the entitlements of a product: its own and, for a trial, those of the product that it unlocks.
    func entitlements(of name: ProductName) -> [Symbol] {
        guard let product = product(name, at: t) else { return [] }
        let unlocked = product.trial.flatMap { self.product(ProductName(name.bundleId, $0.unlocks), at: t) }
        return product.entitlements
            + (unlocked?.entitlements ?? []).filter { !product.entitlements.contains($0) }
    }

    /// Returns a download with the entitlements of those who paid for the app; nil if it was not paid for.
    func paid(_ download: AppDownload) -> PaidDownload? {
        guard let rule = catalogs[download.account.bundle]?.newest?.catalog.paidUntil, download.isPaid(rule, by: t)
        else { return nil }
        return PaidDownload(
            account: download.account, entitlements: rule.entitlements, until: download.expirationDate)
    }

    /// Returns the states of the products in use, and optionally of all others in effect.
    func states(_ uses: [ProductUse], listsUnused: Bool) -> [ProductStateRow] {
        var uses = Dictionary(grouping: uses, by: \.product)
        for (bundleId, history) in catalogs where listsUnused {
            for id in history.productIds where product(ProductName(bundleId, id), at: t) != nil {
                uses[ProductName(bundleId, id), default: []] += []
            }
        }
        return uses.compactMap { name, uses in
            let product = product(name, at: t)
            guard product?.kind != .consumable else { return nil }
            return ProductStateRow(
                product: name, group: product?.group ?? uses.lazy.compactMap(\.group).first,
                state: uses.map { $0.isActive ? .active : .inactive }.max() ?? .new,
                code: uses.compactMap(\.code).max { $0.value < $1.value }
                    ?? (uses.contains(where: \.isActive) && product?.kind == .nonRenewing ? .nonRenewing : nil))
        }
        .sorted { $0.product < $1.product }
    }
}

extension [ProductStateRow] {
    fileprivate var groups: [GroupStateRow] {
        var states: [ProductName: ProductState] = [:]
        for row in self {
            guard let group = row.group else { continue }
            // A group has the form of a product's name: unique in its app.
            let name = ProductName(row.product.bundleId, group)
            states[name] = Swift.max(states[name] ?? .new, row.state)
        }
        return states.sorted { $0.key < $1.key }
            .map { GroupStateRow(bundleId: $0.key.bundleId, group: $0.key.productId, state: $0.value) }
    }
}

extension ProductUse {
    /// Creates the use of the product of a row. A trial ends by the catalogue, although Apple's purchase does not.
    /// - Parameter trials: the end of each trial.
    fileprivate init?(_ state: SubscriptionState, _ trials: [ProductName: Instant], at t: Instant) {
        guard let id = state.productId else { return nil }
        let trial = trials[ProductName(state.key.bundle, id)]
        self.init(
            state.key, id, group: state.subscriptionGroupIdentifier,
            isActive: state.entitled && trial.map { t < $0 } ?? true, until: trial ?? state.accessUntil)
    }
}

extension Subscription {
    /// The products of all purchases begun by `t`, none of them active.
    /// - Parameter row: the row of the subscription at `t`.
    fileprivate func pastUses(at t: Instant, _ row: SubscriptionState?) -> [ProductUse] {
        var products: [Symbol] = []
        return periods.compactMap { period in
            guard period.start <= t, period.type != .consumable, let id = period.productId, !products.contains(id)
            else { return nil }
            products.append(id)
            var use = ProductUse(key, id, group: period.subscriptionGroupIdentifier, isActive: false)
            use.code = code(of: id, at: t, row)
            return use
        }
    }
}

extension [Subscription] {
    /// Returns the end of each trial of an app without subscriptions: a duration after the first start of a purchase of
    /// it. A later purchase does not begin it again.
    fileprivate func trials(_ shelf: Shelf) -> [ProductName: Instant] {
        var starts: [ProductName: Instant] = [:]
        for subscription in self {
            for period in subscription.periods where period.start <= shelf.t {
                guard let id = period.productId else { continue }
                let name = ProductName(subscription.key.bundle, id)
                starts[name] = Swift.min(starts[name] ?? period.start, period.start)
            }
        }
        return starts.reduce(into: [:]) { ends, entry in
            // A trial that was described later ends too.
            let described = [entry.value, shelf.t].lazy.compactMap { shelf.product(entry.key, at: $0)?.trial }
            guard let trial = described.first else { return }
            ends[entry.key] = entry.value.advanced(by: trial.duration)
        }
    }
}

extension [SubscriptionKey: [OneTimePurchase]] {
    /// Returns the services of non-renewing subscriptions of which the catalogue knows the duration.
    fileprivate func services(at t: Instant, _ shelf: Shelf) -> [NonRenewingService] {
        var byProduct: [ProductName: [(key: SubscriptionKey, purchase: OneTimePurchase)]] = [:]
        for (key, purchases) in self {
            for purchase in purchases where purchase.type == .nonRenewing {
                guard let id = purchase.productId else { continue }
                byProduct[ProductName(key.bundle, id), default: []].append((key, purchase))
            }
        }
        return byProduct.sorted { $0.key < $1.key }.flatMap { name, purchases in
            NonRenewingService.all(of: purchases, at: t) { shelf.product(name, at: $0)?.duration }
        }
    }

    /// Returns the uses of non-renewing subscriptions. One without a known end gives nothing.
    fileprivate func uses(of services: [NonRenewingService], at t: Instant) -> [ProductUse] {
        let past = flatMap { key, purchases in
            purchases.filter { $0.type == .nonRenewing && $0.purchasedAt <= t }.compactMap { purchase in
                purchase.productId.map { ProductUse(key, $0, isActive: false) }
            }
        }
        return past
            + services.compactMap { service in
                guard service.range.contains(t), let id = service.purchase.productId else { return nil }
                return ProductUse(service.key, id, isActive: true, until: services.end(of: id, after: service))
            }
    }
}

extension [NonRenewingService] {
    /// Returns the end of the services of a product that follow one without a gap.
    fileprivate func end(of id: Symbol, after service: NonRenewingService) -> Instant {
        reduce(service.range.upperBound) { end, next in
            let follows = next.purchase.productId == id && next.key.bundle == service.key.bundle
            return follows && next.range.lowerBound == end ? next.range.upperBound : end
        }
    }
}
