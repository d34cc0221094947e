import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

/// Scripted acts, with the expected truth and the expected notifications. Days count from the opening of the store on
/// 2025-01-01T00:00:00Z; the months from there end on days 31, 59, 90 and 120.
struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var configuration = StoreConfiguration()
    /// Plays the acts and returns the subscription that the expectations describe.
    let acts: @Sendable (inout AppStore, CustomerID) -> SubscriptionID
    let states: [Expectation]
    /// The notifications of the whole store in order: TYPE/SUBTYPE and the status code.
    let notifications: [String]

    init(
        _ name: String, in configuration: StoreConfiguration = StoreConfiguration(),
        _ acts: @escaping @Sendable (inout AppStore, CustomerID) -> SubscriptionID, states: [Expectation],
        notifications: [String]
    ) {
        testDescription = name
        self.configuration = configuration
        self.acts = acts
        self.states = states
        self.notifications = notifications
    }

    struct Expectation: Sendable {
        let day: Double
        let state: TruthState
        let paidDays: Int64?
    }

    static let opening = Instant(milliseconds: 1_735_689_600_000)

    static func day(_ day: Double) -> Instant {
        opening.advanced(byMilliseconds: Int64(day * Double(Instant.millisecondsPerDay)))
    }

    /// Plays the acts and advances the store to the last expectation.
    func play() -> (store: AppStore, subscription: SubscriptionID) {
        var store = AppStore(configuration, opening: Self.opening)
        let customer = store.addCustomer()
        let subscription = acts(&store, customer)
        let last = states.map(\.day).max() ?? 0
        store.advance(to: max(store.now, Self.day(last)))
        return (store, subscription)
    }
}

func day(_ day: Double) -> Instant { Scenario.day(day) }

extension Scenario.Expectation {
    /// The expected state on a day.
    static func on(
        _ day: Double, _ productId: String, _ status: TruthStatus, until end: Double, renews: Bool? = false,
        pending: String? = nil, revoked: Double? = nil, owner: String? = nil, intro: String? = nil,
        paidDays: Int64? = nil
    ) -> Scenario.Expectation {
        Scenario.Expectation(
            day: day,
            state: TruthState(
                productId: productId, status: status, expiresAt: Scenario.day(end), willRenew: renews,
                pendingProductId: pending, revokedAt: revoked.map(Scenario.day), owner: owner,
                introConsumedBy: intro),
            paidDays: paidDays)
    }
}
