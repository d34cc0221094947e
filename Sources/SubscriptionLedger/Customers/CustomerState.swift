import AppStoreModel
import IntroOffers
import LedgerAPI
import LedgerModel
import Primitives
import ProductStates
import SubscriptionStatus

/// The contents of a customer's answer in one scope at an instant.
struct CustomerState: Sendable {
    private var subscriptions: [(state: SubscriptionState, row: Rendered<SubscriptionRow>)]
    private var purchases: [(key: SubscriptionKey, row: PurchaseRow)]
    private var conflicts: [(key: SubscriptionKey, row: ConflictRow)]
    private var products: CustomerProducts
    private var steps: [CustomerStep]
    private var offers: [EligibilityRow]
    /// The restriction of the statements; nil for none.
    var signed: SignedBy?
    /// The instants at which time alone may change the products, besides those of the timelines.
    var turningPoints: [Instant] { products.turningPoints }

    /// - Parameters:
    ///   - timelines: nil for an unused id.
    ///   - catalogs: the catalogues of all apps.
    init(
        of timelines: CustomerTimelines?, at t: Instant, rules: Rules, scope: CustomerScope,
        catalogs: [Symbol: CatalogHistory]
    ) {
        let timelines = timelines?.typed(by: catalogs)
        let owned = OwnedSubscriptions(of: timelines, at: t, rules: rules, scope: scope)
        let allStates = owned.lineages.states(at: t, rules: rules)
        let states = allStates.filter { owned.keys.contains($0.key) }
        let catalogs = catalogs.filter { scope.contains(bundleId: $0.key.text) }
        subscriptions = states.map { ($0, Rendered(SubscriptionRow($0))) }
        products = CustomerProducts(
            states, of: owned.subscriptions, purchases: owned.purchases, downloads: owned.downloads,
            grants: timelines?.grants ?? [], at: t, catalogs: catalogs)
        steps = products.steps
        let intro = IntroOffers(
            of: timelines, owned, allStates, at: t, rules: rules.intro, scope: scope, catalogs: catalogs)
        offers = intro.products.map { EligibilityRow(intro.eligibility(for: $0), of: $0, intro.group(of: $0)) }
        purchases = owned.purchases(at: t, products.services)
        conflicts = owned.conflicts.map { ($0.key, ConflictRow($0, askedBy: timelines?.owner)) }
    }

    var entitlements: [Entitlement] { products.entitlements }

    var rowCount: Int { subscriptions.count + purchases.count + conflicts.count }

    /// Returns the answer restricted to these keys and downloads, without the other party of conflicts, without products
    /// that no key has, and without eligibility, which tells of other purchases.
    func limited(to keys: Set<SubscriptionKey>, downloads: Set<AppAccountKey>) -> CustomerState {
        var limited = self
        limited.subscriptions.removeAll { !keys.contains($0.state.key) }
        limited.products = products.limited(to: keys, downloads: downloads)
        limited.steps = limited.products.steps
        limited.offers = []
        limited.purchases.removeAll { !keys.contains($0.key) }
        limited.conflicts.removeAll { !keys.contains($0.key) }
        for index in limited.conflicts.indices { limited.conflicts[index].row.with = nil }
        return limited
    }

    func answer(
        id: String?, handle: String? = nil, asOf: Instant, knownAt: Position
    ) -> CustomerAnswer<SubscriptionRow> {
        var answer = CustomerAnswer(
            id: id, handle: handle, asOf: asOf, knownAt: knownAt,
            entitled: products.isEntitled, entitlements: products.entitlements.map { EntitlementRow($0) },
            subscriptions: subscriptions.map { $0.row }, products: products.products.map { ProductRow($0) },
            groups: products.groups.map { GroupRow($0) },
            purchases: purchases.map { $0.row }, offers: offers,
            conflicts: conflicts.map(\.row), nextStep: products.nextStep?.rawValue ?? NextStep.none.rawValue,
            nextSteps: steps.map { NextStepRow($0, at: asOf) })
        answer.signed = signed
        return answer
    }

    /// Returns the answer of `state --customer`.
    func answer(asOf: Instant, knownAt: Position) -> Answer<SubscriptionRow> {
        var answer = Answer(asOf: asOf, knownAt: knownAt, subscriptions: subscriptions.map(\.row.row))
        answer.signed = signed
        return answer
    }
}

extension OwnedSubscriptions {
    /// - Parameter services: the services of non-renewing subscriptions at `t`.
    fileprivate func purchases(
        at t: Instant, _ services: [NonRenewingService]
    ) -> [(key: SubscriptionKey, row: PurchaseRow)] {
        purchases.flatMap { key, purchases in
            purchases.filter { $0.purchasedAt <= t }.map { purchase in
                let service = services.first { $0.key == key && $0.purchase.transactionId == purchase.transactionId }
                return (key, PurchaseRow(purchase, of: key, at: t, service?.range))
            }
        }
        .sorted { left, right in
            (left.row.purchasedAt, left.row.transactionId) < (right.row.purchasedAt, right.row.transactionId)
        }
    }
}

extension CustomerTimelines {
    /// Returns the number of purchases and revocations in a scope that Apple signed later than the question permits.
    func countSignedLater(in scope: CustomerScope) -> Int {
        signedLater.reduce(0) { scope.contains($1.key) ? $0 + $1.value : $0 }
    }

    /// Returns the range around `t` in which the state stays the same.
    /// - Parameter further: further instants at which it may change.
    func validity(around t: Instant, rules: Rules, _ further: [Instant]) -> Range<Instant> {
        var range = Instant(milliseconds: .min)..<Instant(milliseconds: .max)
        func narrow(_ turn: Instant) {
            range =
                turn <= t
                ? max(range.lowerBound, turn)..<range.upperBound : range.lowerBound..<min(range.upperBound, turn)
        }
        further.forEach(narrow)
        lineages.turningPoints(rules: rules).forEach(narrow)
        for evidence in evidence { evidence.tokens.steps.forEach { narrow($0.from) } }
        for purchases in purchases.values { purchases.forEach { $0.turningPoints.forEach(narrow) } }
        return range
    }
}

extension PurchaseRow {
    /// - Parameter service: the service that the purchase pays for; nil if there is none or its end is unknown.
    fileprivate init(
        _ purchase: OneTimePurchase, of key: SubscriptionKey, at t: Instant, _ service: Range<Instant>?
    ) {
        self.init(
            transactionId: purchase.transactionId.text, id: SubscriptionID(key), productId: purchase.productId?.text,
            type: purchase.type.rawValue, quantity: purchase.quantity, purchasedAt: purchase.purchasedAt,
            startsAt: service?.lowerBound, expiresAt: service?.upperBound, revokedAt: purchase.revokedAt(at: t),
            price: purchase.price?.price, currency: purchase.price?.currency?.text)
    }
}

extension EntitlementRow {
    fileprivate init(_ entitlement: Entitlement) {
        self.init(
            id: entitlement.id.text, until: entitlement.until,
            because: entitlement.because.map { SubscriptionID($0) },
            downloads: entitlement.downloads.map { DownloadRow($0) },
            grants: entitlement.grants.map { GrantRow(position: $0.position, because: $0.because) })
    }
}

extension DownloadRow {
    fileprivate init(_ account: AppAccountKey) {
        let name: Name =
            switch account.account {
            case .appTransaction(let id): .appTransaction(id: id.text)
            case .firstDownload(let date, let version): .first(at: date, version: version.text)
            }
        self.init(environment: account.environment.rawValue, bundleId: account.bundleId, name: name)
    }
}

extension ProductRow {
    fileprivate init(_ row: ProductStateRow) {
        self.init(
            bundleId: row.product.bundleId.text, productId: row.product.productId.text, group: row.group?.text,
            state: row.state.rawValue, entitlementCode: row.code?.value)
    }
}

extension NextStepRow {
    fileprivate init(_ step: CustomerStep, at t: Instant) {
        self.init(
            step: step.action.rawValue, id: SubscriptionID(step.key), productId: step.productId?.text,
            productIds: step.products.map(\.text), offerIds: step.offerIds, url: step.url, until: step.until,
            daysLeft: step.daysLeft(at: t), price: step.price?.price, currency: step.price?.currency?.text,
            entitlements: step.entitlements.map(\.text))
    }
}

extension GroupRow {
    fileprivate init(_ row: GroupStateRow) {
        self.init(bundleId: row.bundleId.text, group: row.group.text, state: row.state.rawValue)
    }
}

extension ConflictRow {
    /// - Parameter asker: the customer whose answer contains the row.
    fileprivate init(_ conflict: OwnershipConflict, askedBy asker: Ownership.Owner?) {
        let isClaimant = asker == .customer(conflict.claimant)
        let with = isClaimant ? conflict.owner : .customer(conflict.claimant)
        self.init(
            id: SubscriptionID(conflict.key), with: with.text,
            because: isClaimant
                ? "The purchase was posted for this customer but belongs to another known customer."
                : "The purchase was also posted for another known customer, whose claim was refused.",
            remedy: Advice.transfer)
    }
}
