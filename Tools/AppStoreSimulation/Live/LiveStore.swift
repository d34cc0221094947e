package import AppStoreModel
package import Primitives

/// A simulated App Store whose clock moves while it is asked. The customers follow the script of a simulation, until
/// somebody directs them.
package struct LiveStore: Sendable {
    package let simulation: Simulation
    package private(set) var now: Instant
    private(set) var households: [LiveHousehold]
    private var dues: [Instant?]
    /// The app itself, to which test notifications belong.
    private var app: AppStore
    /// The artifacts of acts that were not in the script, until the clock advances.
    private var signed: [StoreArtifact] = []
    /// Original transaction id -> the dates on which its renewal was extended on request.
    var extensions: [String: [Instant]] = [:]
    /// The payment queues of the devices that somebody has used.
    var queues: [AccountID: PaymentQueue] = [:]
    /// The ids of transactions that devices got when they restored purchases -> their payloads.
    var restored: [String: [UInt8]] = [:]

    /// - Complexity: plans every customer, about a millisecond each.
    package init(_ simulation: Simulation) {
        var simulation = simulation
        simulation.store.answers = true
        self.simulation = simulation
        now = simulation.start
        households = (0..<simulation.customers).map { simulation.household($0) }
        dues = households.map(\.nextDue)
        app = AppStore(
            simulation.store, opening: simulation.start, seed: simulation.seed, range: simulation.customers)
    }

    package var configuration: StoreConfiguration { simulation.store }

    /// Advances the clock to `instant`, which is not before now.
    /// - Returns: what was signed for acts until then, in the order of the signing dates. The date of some is later
    ///   than `instant`.
    package mutating func advance(to instant: Instant) -> [StoreArtifact] {
        precondition(instant >= now, "the clock does not go back from \(now) to \(instant)")
        var artifacts = signed
        signed = []
        for index in households.indices where dues[index].map({ $0 <= instant }) ?? false {
            artifacts += households[index].advance(to: instant)
            dues[index] = households[index].nextDue
        }
        now = instant
        return artifacts.enumerated()
            .sorted { ($0.element.signedDate, $0.offset) < ($1.element.signedDate, $1.offset) }.map(\.element)
    }

    /// Returns the true states of all purchases that have begun, sorted by original transaction id.
    /// - Parameter instant: not after now.
    package func truth(at instant: Instant) -> [TruthRow] {
        households.flatMap { household -> [TruthRow] in
            household.store.truth(upTo: instant).rows(at: instant)
        }
        .sorted { $0.originalTransactionId.utf8.lexicographicallyPrecedes($1.originalTransactionId.utf8) }
    }
}

extension LiveStore {
    func store(of account: AccountID) -> AppStore { households[account.household].store }

    /// Performs an act now. The account's household no longer follows its script.
    mutating func act<Result>(
        on account: AccountID, _ body: (inout AppStore, Instant) throws -> Result
    ) rethrows -> Result {
        let now = now
        defer { dues[account.household] = households[account.household].nextDue }
        signed += households[account.household].advance(to: now)
        let result = try households[account.household].act { try body(&$0, now) }
        signed += households[account.household].advance(to: now)
        return result
    }

    mutating func sendSummary(of result: MassExtension) {
        app.sendSummary(of: result, at: now)
        signed += app.takeArtifacts()
    }

    /// Signs a test notification now.
    /// - Returns: its notificationUUID.
    package mutating func sendTest() -> String {
        app.sendTest(at: now)
        let artifacts = app.takeArtifacts()
        signed += artifacts
        return artifacts.compactMap(\.notificationUUID).first ?? ""
    }
}

// MARK: - Questions of the App Store Server API

/// An Apple Account of a live store.
package struct AccountID: Hashable, Sendable {
    let household: Int
    let customer: CustomerID
}

extension LiveStore {
    /// Returns the account with a transaction id, original transaction id or app transaction id.
    package func account(of anyTransactionId: String) -> AccountID? {
        account(ofTransactionId: anyTransactionId) ?? account(ofAppTransactionId: anyTransactionId)
    }

    /// Returns the account with an id of a transaction or of an original transaction.
    package func account(ofTransactionId id: String) -> AccountID? {
        guard let index = IdentifierSource.range(ofTransactionId: id, in: configuration.environment),
            households.indices.contains(index)
        else { return nil }
        let store = households[index].store
        let owner =
            store.subscriptions.first { $0.charges.contains { $0.transactionId == id } }?.origin.customer
            ?? store.purchases.first {
                $0.charge.transactionId == id || $0.origin.originalTransactionId == id
                    || $0.restoration?.transactionId == id
            }?
            .origin.customer
        return owner.map { AccountID(household: index, customer: $0) }
    }

    private func account(ofAppTransactionId id: String) -> AccountID? {
        guard let number = IdentifierSource.customer(ofAppTransactionId: id) else { return nil }
        let index = number < households.count ? number : number - households.count
        guard households.indices.contains(index) else { return nil }
        let customers = households[index].store.customers
        let customer = customers.firstIndex { $0.appTransactionId == id }
        return customer.map { AccountID(household: index, customer: CustomerID(index: $0)) }
    }

    /// Returns what Apple states about an account now.
    /// - Parameter lag: milliseconds for which a replica may not have seen the last change.
    package func record(of account: AccountID, lag: Int64 = 0) -> CustomerRecord {
        let household = households[account.household]
        return household.record(
            of: account.customer, signedDate: now, isLate: household.isLate(at: now, lag: lag))
    }

    /// Returns the purchases of an account now, as receipts state them.
    /// - Parameters:
    ///   - lag: milliseconds for which a replica may not have seen the last change.
    ///   - isFinished: whether the app has finished a consumable with this id and purchase date.
    package func purchases(
        of account: AccountID, lag: Int64 = 0, isFinished: (_ transactionId: String, _ date: Instant) -> Bool
    ) -> AccountPurchases {
        let household = households[account.household]
        let store = household.isLate(at: now, lag: lag) ? household.replica?.store : nil
        return (store ?? household.store).purchases(of: account.customer) {
            isFinished($0.transactionId, $0.purchaseDate)
        }
    }

    /// Returns the account of a receipt that the store has issued; nil when it does not know it.
    package func account(of receipt: AppReceipt) -> AccountID? {
        receipt.attributes.octets(.account).flatMap { account(ofAppTransactionId: String(decoding: $0, as: UTF8.self)) }
    }
}
