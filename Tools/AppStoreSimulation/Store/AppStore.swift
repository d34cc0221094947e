import AppStoreModel
package import Primitives

/// A simulated App Store for one app. Customers act, and a virtual clock performs everything else. Each act records
/// both the artifacts that Apple would sign and the truth from then on.
///
/// Acts take the instant at which they happen, never earlier than the last one. Acts of the store that are due before
/// it (renewals, expiries, ends of grace) are performed first. An act that is impossible at its instant (a second
/// subscription in a group, an upgrade of an expired one) traps.
package struct AppStore: Sendable {
    package let configuration: StoreConfiguration
    let seed: UInt64
    package private(set) var now: Instant {
        didSet { log.truth.knownUntil = now }
    }

    var customers: [Customer] = []
    var subscriptions: [Subscription] = []
    var purchases: [OneTimePurchase] = []
    var withdrawnProductIds: Set<String> = []
    var generator: SeededGenerator
    var identifiers: IdentifierSource
    /// The history so far, in the order of the acts.
    var log: StoreHistory

    /// - Parameters:
    ///   - seed: determines everything random, such as delays and UUIDs.
    ///   - range: selects the transaction ids; stores that feed one ledger need different ranges.
    package init(
        _ configuration: StoreConfiguration = StoreConfiguration(), opening: Instant, seed: UInt64 = 1, range: Int = 0
    ) {
        self.configuration = configuration
        self.seed = seed
        now = opening
        generator = SeededGenerator(seed: seed, stream: UInt64(range))
        identifiers = IdentifierSource(range: range)
        log = StoreHistory(knownUntil: opening)
    }

    /// Adds an Apple Account.
    /// - Parameter number: the unique number of the account in the truth; by default, its position in the store.
    package mutating func addCustomer(
        number: Int? = nil, storefront: Storefront = .unitedStates, appAccountToken: String? = nil
    ) -> CustomerID {
        let number = number ?? customers.count
        customers.append(
            Customer(
                number: number, storefront: storefront,
                appTransactionId: IdentifierSource.appTransactionId(ofCustomer: number),
                downloadedAt: Self.download(ofCustomer: number, before: now), appAccountToken: appAccountToken))
        return CustomerID(index: customers.count - 1)
    }

    /// Returns an instant in the year before another, a different one for each customer.
    private static func download(ofCustomer number: Int, before instant: Instant) -> Instant {
        instant.advanced(byMilliseconds: -(Int64(number) * 7_919 % 31_536_000 + 1) * 1_000)
    }

    /// Advances the clock and performs all due acts in order.
    package mutating func advance(to instant: Instant) {
        precondition(instant >= now, "the clock does not go back from \(now) to \(instant)")
        while let (id, due) = nextDue(), due.date <= instant {
            now = max(now, due.date)
            perform(due.act, on: id)
        }
        now = instant
    }
}

// MARK: - Queries of tests

extension AppStore {
    /// The history so far, sorted.
    package var history: StoreHistory { StoreHistory(merging: [log]) }

    package func originalTransactionId(of id: SubscriptionID) -> String {
        self[id].origin.originalTransactionId
    }

    package func originalTransactionId(of id: PurchaseID) -> String {
        purchases[id.index].origin.originalTransactionId
    }

    /// Returns the transaction ids, oldest first, including one that has yet to begin.
    package func transactionIds(of id: SubscriptionID) -> [String] {
        self[id].charges.map(\.transactionId)
    }

    /// The end of the newest period.
    package func end(of id: SubscriptionID) -> Instant { self[id].end }

    /// Whether the next period is already charged.
    package func isRenewed(_ id: SubscriptionID) -> Bool { self[id].newest.purchaseDate > now }

    package func truth(of id: SubscriptionID, at instant: Instant) -> TruthRow? {
        log.truth.row(of: originalTransactionId(of: id), at: instant)
    }
}

extension AppStore {
    /// Removes and returns what was signed since the last call. The truth stays.
    mutating func takeArtifacts() -> [StoreArtifact] {
        defer {
            log.artifacts = []
            log.changes = []
        }
        return log.artifacts
    }

    /// The truth while nothing is due until `instant`.
    func truth(upTo instant: Instant) -> Truth {
        var truth = log.truth
        truth.knownUntil = max(truth.knownUntil, instant)
        return truth
    }

    subscript(id: SubscriptionID) -> Subscription {
        get { subscriptions[id.index] }
        _modify { yield &subscriptions[id.index] }
    }

    /// Returns a subscription and its family members' copies.
    func holders(of id: SubscriptionID) -> [SubscriptionID] { [id] + self[id].members }

    /// Records the truth of a subscription from now on.
    mutating func writeTruth(of id: SubscriptionID) {
        log.truth.write(originalTransactionId(of: id), at: now, state(of: id))
    }

    func state(of id: SubscriptionID) -> TruthState {
        let subscription = self[id]
        let isOwn = subscription.origin.ownership == .purchased
        return TruthState(
            subscription, at: now, isRenewalKnown: configuration.notifies || configuration.answers,
            introConsumedBy: isOwn
                ? customers[subscription.origin.customer.index].introConsumed[subscription.group] : nil)
    }

    mutating func writeService(of id: SubscriptionID, _ event: PaidService.Event) {
        log.truth.write(service: serviceKey(of: id), at: now, event)
    }

    func serviceKey(of id: SubscriptionID) -> Truth.ServiceKey {
        Truth.ServiceKey(customer: customers[self[id].origin.customer.index].number, group: self[id].group)
    }

    func price(of product: StoreProduct, for customer: CustomerID) -> Int64 {
        product.price * customers[customer.index].storefront.factor
    }
}
