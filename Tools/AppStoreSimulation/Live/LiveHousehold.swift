import AppStoreModel
import Primitives

/// A household whose acts are performed as the clock moves.
struct LiveHousehold: Sendable {
    private(set) var store: AppStore
    /// The acts to come. A customer whom somebody directs has none.
    private var script: ArraySlice<ScriptedAct>
    /// Transaction id -> its contents, and when they changed last.
    private(set) var transactions: [String: TransactionVersion] = [:]
    /// The number of changes to transactions so far.
    private var changes = 0
    /// The store before its last change, as a replica that lags behind has it.
    private(set) var replica: (store: AppStore, transactions: [String: TransactionVersion], changedAt: Instant)?

    /// Whether a replica that lags behind may not have seen the last change yet.
    func isLate(at instant: Instant, lag: Int64) -> Bool {
        replica.map { instant.milliseconds - $0.changedAt.milliseconds < lag } ?? false
    }

    /// - Parameters:
    ///   - store: the store before the first act.
    ///   - script: the acts in the order of their dates.
    init(_ store: AppStore, script: [ScriptedAct]) {
        self.store = store
        self.script = script[...]
    }

    /// The instant of the next act; nil when nobody acts any more.
    var nextDue: Instant? {
        [script.first?.date, store.nextDue()?.due.date].compactMap { $0 }.min()
    }

    /// Performs what is due by `instant`.
    /// - Returns: what was signed, in the order of the acts.
    mutating func advance(to instant: Instant) -> [StoreArtifact] {
        while let due = nextDue, due <= instant {
            change { household in
                household.store.advance(to: due)
                while let act = household.script.first, act.date <= due {
                    household.script.removeFirst()
                    act.perform(&household.store)
                }
            }
        }
        store.advance(to: max(store.now, instant))
        return store.takeArtifacts()
    }

    /// Performs an act that is not in the script, which ends here.
    mutating func act<Result>(_ body: (inout AppStore) throws -> Result) rethrows -> Result {
        script = []
        return try change { try body(&$0.store) }
    }

    private mutating func change<Result>(_ body: (inout LiveHousehold) throws -> Result) rethrows -> Result {
        let earlier = (store, transactions)
        let result = try body(&self)
        replica = (earlier.0, earlier.1, store.now)
        noteChanges()
        return result
    }

    private mutating func noteChanges() {
        for subscription in store.subscriptions {
            for charge in subscription.charges { note(charge) }
        }
        for purchase in store.purchases { note(purchase.charge) }
    }

    private mutating func note(_ charge: Charge) {
        let contents = TransactionVersion.Contents(charge)
        guard transactions[charge.transactionId]?.contents != contents else { return }
        changes += 1
        transactions[charge.transactionId] = TransactionVersion(
            contents: contents, modifiedDate: store.now, order: changes)
    }
}

/// The parts of a transaction that change after its purchase, and the date of the last change.
struct TransactionVersion: Sendable {
    struct Contents: Hashable, Sendable {
        let expiresDate: Instant?
        let isUpgraded: Bool
        let revocationDate: Instant?
        let appAccountToken: String?

        init(_ charge: Charge) {
            expiresDate = charge.expiresDate
            isUpgraded = charge.isUpgraded
            revocationDate = charge.revocation?.date
            appAccountToken = charge.appAccountToken
        }
    }

    let contents: Contents
    let modifiedDate: Instant
    /// The number of the change in the household.
    let order: Int
}
