import AppStoreModel
package import Primitives

/// A simulated App Store for one app: customers act, a virtual clock does the rest, and each act writes down both what
/// Apple would sign and what is true from then on.
///
/// Acts take the instant at which they happen, never earlier than the last one; what falls due before it (renewals,
/// expiries, ends of grace) happens first and by itself. An act that is impossible then (a second subscription in a
/// group, an upgrade of what has expired) is a programmer's error.
package struct AppStore: Sendable {
    package let configuration: StoreConfiguration
    package private(set) var now: Instant {
        didSet { log.truth.knownUntil = now }
    }

    var customers: [Customer] = []
    var subscriptions: [Subscription] = []
    var purchases: [OneTimePurchase] = []
    var withdrawnProductIds: Set<String> = []
    var generator: SeededGenerator
    var identifiers: IdentifierSource
    /// What happened so far, in the order of the acts.
    var log: StoreHistory

    /// - Parameters:
    ///   - seed: decides what is left to chance: delays and UUIDs.
    ///   - range: which transaction ids are given out; stores that feed one ledger need ranges of their own.
    package init(
        _ configuration: StoreConfiguration = StoreConfiguration(), opening: Instant, seed: UInt64 = 1, range: Int = 0
    ) {
        self.configuration = configuration
        now = opening
        generator = SeededGenerator(seed: seed, stream: UInt64(range))
        identifiers = IdentifierSource(range: range)
        log = StoreHistory(knownUntil: opening)
    }

    /// A new Apple Account.
    /// - Parameter number: what the truth calls it, unlike all others.
    package mutating func addCustomer(
        number: Int? = nil, storefront: Storefront = .unitedStates, appAccountToken: String? = nil
    ) -> CustomerID {
        let number = number ?? customers.count
        customers.append(
            Customer(
                number: number, storefront: storefront,
                appTransactionId: IdentifierSource.appTransactionId(ofCustomer: number),
                appAccountToken: appAccountToken))
        return CustomerID(index: customers.count - 1)
    }

    /// Lets the clock run, doing what falls due in its order.
    package mutating func advance(to instant: Instant) {
        precondition(instant >= now, "the clock does not go back from \(now) to \(instant)")
        while let (id, due) = nextDue(), due.date <= instant {
            now = max(now, due.date)
            perform(due.act, on: id)
        }
        now = instant
    }
}

// MARK: - What tests ask about

extension AppStore {
    /// What happened so far.
    package var history: StoreHistory { StoreHistory(merging: [log]) }

    package func originalTransactionId(of id: SubscriptionID) -> String {
        self[id].origin.originalTransactionId
    }

    package func originalTransactionId(of id: PurchaseID) -> String {
        purchases[id.index].origin.originalTransactionId
    }

    /// Oldest first, one that is yet to begin included.
    package func transactionIds(of id: SubscriptionID) -> [String] {
        self[id].charges.map(\.transactionId)
    }

    /// The end of the newest period.
    package func end(of id: SubscriptionID) -> Instant { self[id].end }

    /// Whether the next period is charged already.
    package func isRenewed(_ id: SubscriptionID) -> Bool { self[id].newest.purchaseDate > now }

    package func truth(of id: SubscriptionID, at instant: Instant) -> TruthRow? {
        log.truth.row(of: originalTransactionId(of: id), at: instant)
    }
}

extension AppStore {
    subscript(id: SubscriptionID) -> Subscription {
        get { subscriptions[id.index] }
        _modify { yield &subscriptions[id.index] }
    }

    /// A subscription and those it is shared with.
    func holders(of id: SubscriptionID) -> [SubscriptionID] { [id] + self[id].members }

    /// Writes down what is true of a subscription from now on.
    mutating func writeTruth(of id: SubscriptionID) {
        log.truth.write(originalTransactionId(of: id), at: now, state(of: id))
    }

    func state(of id: SubscriptionID) -> TruthState {
        let subscription = self[id]
        let isOwn = subscription.origin.ownership == .purchased
        return TruthState(
            subscription, at: now, isRenewalKnown: configuration.notifies,
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
