import AppStoreModel
package import AppStoreSimulation
import HTTPTypes
package import Primitives

/// A simulated App Store that serves: the store, its clock, and the notifications on their way.
package actor SimulatedAppStore {
    package struct Configuration: Sendable {
        package var simulation: Simulation
        package var faults = Faults()
        /// Whether the app has a server that notifications are sent to.
        package var isNotifying = false
        /// Whether devices post their transactions to the server of the app.
        package var isPosting = false
        package var postingForm = PostingForm.transactions
        /// Whether the app has a server that notifications of version 1 are sent to.
        package var isNotifyingVersion1 = false
        /// The password of verifyReceipt and of notifications of version 1.
        package var sharedSecret = "5ab1ed6e000040008000000000005ec7"
        package var speed = VirtualClock.Speed.maximum

        package init(_ simulation: Simulation) {
            self.simulation = simulation
        }
    }

    /// The calls to the server of the app that are due at an instant.
    package struct Due: Sendable {
        package var notifications: [Delivery] = []
        package var postings: [DevicePosting] = []
    }

    package nonisolated let configuration: Configuration
    package nonisolated let signers: Signers
    var store: LiveStore
    var clock: VirtualClock
    var book = DeliveryBook()
    var postings = PostingQueue()
    /// The artifacts whose signing date is to come.
    var upcoming: [StoreArtifact] = []
    var limits: RateLimits
    var generator: SeededGenerator
    /// The transactions finished by a device or through the Server API.
    var finished: Set<String> = []
    /// Transaction id -> the consumption information that the developer sent.
    package private(set) var consumption: [String: JSONValue] = [:]
    /// requestIdentifier -> the request with its result.
    var massExtensions: [String: (result: MassExtension, completedAt: Instant)] = [:]
    /// The first ten customers to whom each kind of change has happened.
    package internal(set) var customersByChange: [ChangeKind: [Int]] = [:]
    var followers = ClockFollowers()
    /// The last time at which followers were notified.
    var notifiedAt = ContinuousClock.now
    /// Whether notifications of the last step are on their way.
    var isSending = false

    package init(_ configuration: Configuration) throws {
        self.configuration = configuration
        signers = try Signers(rotatingAt: configuration.faults.rotate)
        var simulation = configuration.simulation
        simulation.store.writesVersion1 = configuration.isNotifyingVersion1
        store = LiveStore(simulation)
        clock = VirtualClock(
            start: configuration.simulation.start, end: configuration.simulation.end, speed: configuration.speed)
        limits = RateLimits(isSandbox: configuration.simulation.store.environment != .production)
        generator = SeededGenerator(seed: configuration.simulation.seed, stream: 0xFA_0175)
    }

    package nonisolated var app: StoreConfiguration { configuration.simulation.store }

    func note(consumption: JSONValue, of transactionId: String) {
        self.consumption[transactionId] = consumption
    }
}

extension SimulatedAppStore {
    package func delivery(_ uuid: String) -> Delivery? { book[uuid] }

    package var deliveries: [Delivery] { Array(book.all) }

    package var unsentCount: Int { book.pendingCount + postings.count + upcoming.count }

    package func truth(at instant: Instant) -> [TruthRow] { store.truth(at: instant) }

    /// Acts on a customer's account now. What is signed is sent with the next step of the clock.
    /// - Throws: `SimulatorProblem` for an unknown customer, and for what is impossible now.
    func act<Result: Sendable>(
        asCustomer number: Int, _ body: (inout LiveStore, AccountID) throws -> Result
    ) throws -> Result {
        guard let account = store.account(ofCustomer: number) else {
            throw SimulatorProblem(
                status: .notFound, code: "customer_unknown", message: "there is no customer \(number)")
        }
        do {
            let result = try body(&store, account)
            upcoming += store.advance(to: store.now)
            return result
        } catch let error as ImpossibleAct {
            throw SimulatorProblem.conflict(error.reason)
        }
    }
}
