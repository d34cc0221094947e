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
    private var postings = PostingQueue()
    /// The artifacts whose signing date is to come.
    private var upcoming: [StoreArtifact] = []
    private var limits: RateLimits
    private var generator: SeededGenerator
    /// The transactions finished by a device or through the Server API.
    var finished: Set<String> = []
    /// Transaction id -> the consumption information that the developer sent.
    package private(set) var consumption: [String: JSONValue] = [:]
    /// requestIdentifier -> the request with its result.
    private var massExtensions: [String: (result: MassExtension, completedAt: Instant)] = [:]
    /// The first ten customers to whom each kind of change has happened.
    package private(set) var customersByChange: [ChangeKind: [Int]] = [:]
    private var followers = ClockFollowers()
    private var toldAt = ContinuousClock.now
    /// Whether notifications of the last step are on their way.
    private var isSending = false

    package init(_ configuration: Configuration) throws {
        self.configuration = configuration
        signers = try Signers(rotatingAt: configuration.faults.rotate)
        store = LiveStore(configuration.simulation)
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

// MARK: - Time

extension SimulatedAppStore {
    package var now: Instant { store.now }

    /// Whether the clock plays to an instant at maximum speed, or what was due there is still on its way.
    package var isPlaying: Bool { clock.goal != nil || isSending }

    package var clockState: (now: Instant, speed: VirtualClock.Speed, goal: Instant?) {
        (store.now, clock.speed, clock.goal)
    }

    package func set(_ speed: VirtualClock.Speed) { clock.set(speed) }

    /// Plays to an instant at maximum speed, without waiting for it.
    package func play(to instant: Instant) { clock.play(to: instant) }

    /// Moves the clock on by one step, and tells those who follow it.
    /// - Returns: what to send now.
    package func step(after elapsed: Duration) async -> Due {
        guard let instant = clock.step(after: elapsed) else {
            if ContinuousClock.now - toldAt > Self.silence { tellOfStanding() }
            return Due()
        }
        upcoming += store.advance(to: instant)
        collect()
        book.forget(before: instant.advanced(byMilliseconds: -historyDays * Instant.millisecondsPerDay))
        isSending = true
        await tellFollowers()
        return Due(notifications: book.due(by: instant), postings: postings.due(by: instant))
    }

    /// Ends the step: everything due has been sent.
    package func endStep() { isSending = false }

    /// Adds the notifications whose signing date has come to the book, and what devices have to their postings.
    private func collect() {
        let now = store.now
        let environment = app.environment
        for artifact in upcoming where artifact.signedDate <= now {
            if configuration.isPosting { postings.add(artifact) }
            note(artifact)
            guard let uuid = artifact.notificationUUID else { continue }
            book.add(
                Delivery(
                    artifact, uuid: uuid, isSent: configuration.isNotifying, environment: environment,
                    seed: configuration.simulation.seed, configuration.faults))
        }
        upcoming.removeAll { $0.signedDate <= now }
    }

    private func note(_ artifact: StoreArtifact) {
        guard let customer = artifact.customer, customersByChange[artifact.change, default: []].count < 10,
            customersByChange[artifact.change]?.contains(customer) != true
        else { return }
        customersByChange[artifact.change, default: []].append(customer)
    }

    /// The days for which Apple keeps the history of notifications.
    var historyDays: Int64 { app.environment == .production ? 180 : 30 }

    package func record(_ result: SendAttemptResult, of uuid: String) {
        book.record(Delivery.Attempt(date: store.now, result: result), of: uuid)
    }

    package func record(_ posting: Int, isTaken: Bool) {
        postings.record(posting, isTaken: isTaken, at: store.now)
    }

    /// Waits until the clock is past an instant. Whoever follows the clock asks again with each answer.
    package func follow(after instant: Instant) async -> Instant {
        if store.now <= instant { await withCheckedContinuation { followers.wait($0) } }
        return store.now
    }

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

    /// The longest time for which a follower waits for an answer.
    private static let silence = Duration.seconds(10)

    private func tellOfStanding() {
        toldAt = .now
        followers.tell()
        followers.giveUp()
    }

    private func tellFollowers() async {
        toldAt = .now
        followers.tell()
        let impatience = Task {
            try await Task.sleep(for: .seconds(1))
            followers.giveUp()
        }
        await withCheckedContinuation { followers.awaitAll($0) }
        impatience.cancel()
    }
}

// MARK: - The Server API

extension SimulatedAppStore {
    /// Counts a call, and decides whether it fails on purpose.
    /// - Returns: the milliseconds of real time that the answer takes.
    func admit(_ endpoint: ServerEndpoint) throws(ServerAPIError) -> Int64 {
        let faults = configuration.faults
        if let instant = limits.admit(endpoint, at: store.now) { throw .rateLimitExceeded(until: instant) }
        if generator.happens(faults.status429) {
            throw .rateLimitExceeded(until: store.now.advanced(byMilliseconds: generator.number(in: 1_000...60_000)))
        }
        if generator.happens(faults.status5xx) {
            throw generator.happens(0.5) ? .internalErrorRetryable : .internalError
        }
        return faults.slow > 0 ? generator.number(in: 0...faults.slow) : 0
    }

    /// Returns what Apple states about the account of any kind of transaction id.
    func record(ofAny id: String) throws(ServerAPIError) -> CustomerRecord {
        guard !id.isEmpty, id.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            throw .invalidTransactionId
        }
        guard let account = store.account(of: id) else { throw .transactionIdNotFound }
        return store.record(of: account, lag: configuration.faults.lag)
    }

    func isFinished(_ transactionId: String) -> Bool {
        if finished.contains(transactionId) { return true }
        guard let account = store.account(ofTransactionId: transactionId) else { return false }
        return store.isFinished(transactionId, on: account)
    }

    /// - Throws: `transactionIdNotFound`.
    func finish(_ transactionId: String) throws(ServerAPIError) {
        guard store.account(ofTransactionId: transactionId) != nil else { throw .transactionIdNotFound }
        finished.insert(transactionId)
    }

    func extendRenewal(
        of id: String, byDays days: Int64
    ) throws(ServerAPIError) -> (webOrderLineItemId: String, effectiveDate: Instant) {
        let account = try account(ofOriginal: id)
        do {
            return try store.extendRenewal(of: id, by: account, byDays: days)
        } catch {
            switch error {
            case .ineligible: throw .extensionIneligible
            case .maximum: throw .extensionMaximum
            case .familyShared: throw .familyExtensionIneligible
            }
        }
    }

    /// Extends the renewal dates of a product's subscribers. A request with a known identifier changes nothing.
    func extendRenewals(_ request: MassExtension) {
        guard massExtensions[request.requestIdentifier] == nil else { return }
        let result = store.extendRenewals(request)
        massExtensions[request.requestIdentifier] = (result, store.now)
        upcoming += store.advance(to: store.now)
    }

    func massExtension(_ identifier: String) -> (result: MassExtension, completedAt: Instant)? {
        massExtensions[identifier]
    }

    func setAppAccountToken(_ token: String, of id: String) throws(ServerAPIError) {
        let account = try account(ofOriginal: id)
        let transaction = store.record(of: account).transactions.first { $0.transactionId == id }
        if transaction?.ownership == .familyShared { throw .familyTransactionNotSupported }
        guard store.setAppAccountToken(token, of: id, by: account) else { throw .transactionIdNotFound }
    }

    private func account(ofOriginal id: String) throws(ServerAPIError) -> AccountID {
        guard let account = store.account(ofTransactionId: id) else { throw .transactionIdNotFound }
        guard store.record(of: account).transactions.contains(where: { $0.originalTransactionId == id }) else {
            throw .notOriginalTransactionId
        }
        return account
    }

    /// Signs a test notification, sent with the next step of the clock.
    /// - Returns: its token.
    func requestTest() throws(ServerAPIError) -> String {
        guard configuration.isNotifying else { throw .noNotificationURL }
        let uuid = store.sendTest()
        upcoming += store.advance(to: store.now)
        return TestNotificationToken(uuid: uuid, requestedAt: store.now).text
    }

    package func delivery(_ uuid: String) -> Delivery? { book[uuid] }

    package var deliveries: [Delivery] { Array(book.all) }

    package var unsentCount: Int { book.pendingCount + postings.count + upcoming.count }

    package func truth(at instant: Instant) -> [TruthRow] { store.truth(at: instant) }
}
