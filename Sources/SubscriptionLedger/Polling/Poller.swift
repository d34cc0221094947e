import AppStoreClient
import AppStoreModel
import AppStoreVerification
import Dispatch
package import DuePolls
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import SubscriptionStatus

/// Requests overdue statuses and transactions from Apple, the most urgent first, within the limits of calls.
///
/// The due polls follow from the log and from `data/poll/`, so a restart neither loses nor doubles a question.
package actor Poller {
    /// The questions of a round.
    package struct Counts: Hashable, Sendable {
        package var polled = 0
        /// Accounts with another state than before.
        package var changed = 0
        package var unchanged = 0
        package var failed = 0
        /// Connections that had to wait for their budget, or because of a failure that passes.
        package var rateLimited = 0
        /// The apps about which no calls are made until the next start.
        package var stoppedCalls: [StoppedCalls] = []

        package init() {}
    }

    /// An account with what is known about it.
    struct Account {
        let keys: [SubscriptionKey]
        let lineages: [Lineage]
        let attempt: PollStore.Attempt
        /// Nil when there is no way to ask.
        let way: PollWay?
        let poll: DuePoll?
    }

    let ledger: LedgerWriter
    private let policy: PollPolicy
    private let concurrency: Int
    private let store: PollStore
    private let ways: PollWays
    private var queues: [CallBudget.App: PollQueue] = [:]
    /// The events that the queues know of; nil before the first round.
    private var position: Position?
    /// The instant before which the polls in the queues are due. Those due later would take memory for nothing.
    private var horizon = Instant.earliest
    private var changedAttempts: [SubscriptionKey: PollStore.Attempt] = [:]
    /// The accounts that are being asked about. Rounds may overlap.
    private var asking: Set<SubscriptionKey> = []

    private static let span = 26 * Instant.millisecondsPerHour
    /// The time before their horizon at which the queues are filled again.
    private static let margin = 2 * Instant.millisecondsPerHour
    /// The attempts that a crash may forget.
    private static let unstoredAttempts = 64

    /// - Parameters:
    ///   - receipts: the ways to ask about receipts.
    ///   - concurrency: the calls at the same time.
    package init(
        _ ledger: LedgerWriter, _ connections: [AppStoreConnection], receipts: [VerifyReceiptConnection] = [],
        _ store: PollStore, policy: PollPolicy, concurrency: Int = 8
    ) {
        self.ledger = ledger
        self.policy = policy
        self.concurrency = concurrency
        ways = PollWays(connections, receipts)
        self.store = store
    }

    /// The polls that are due soon, or now.
    package var queuedPolls: Int { queues.values.reduce(0) { $0 + $1.count } }
    /// The rows of the queues in memory, outdated ones included.
    package var queuedRows: Int { queues.values.reduce(0) { $0 + $1.rowCount } }

    /// Asks about everything that is due now and within the budget.
    /// - Parameter visited: what callers asked the ledger about. That of it which is due comes first.
    /// - Throws: `StorageError`; `CancellationError`.
    package func round(visited: Set<SubscriptionID> = []) async throws -> Counts {
        try await follow()
        for id in visited {
            let key = SubscriptionKey(id)
            queues[key.app]?.prioritize(key, at: now)
        }
        var counts = Counts()
        var (waiting, stopped): (Set<CallBudget.App>, Set<CallBudget.App>) = ([], [])
        try await withThrowingTaskGroup(of: Counts.self) { group in
            var running = 0
            while let call = try nextCall(&waiting, &stopped) {
                group.addTask { try await self.make(call) }
                running += 1
                if running == concurrency, let made = try await group.next() {
                    counts.add(made)
                    running -= 1
                }
            }
            for try await made in group { counts.add(made) }
        }
        counts.rateLimited = waiting.count
        counts.stoppedCalls = ways.stops
        try storeAttempts()
        return counts
    }

    /// Asks about a subscription, whether it is due or not.
    /// - Throws: `CustomerError` (`subscription_unknown`, `parameter_invalid` when several match);
    ///   `ConfigurationError` without a connection for its app; `StorageError`; `CancellationError`.
    package func ask(about selector: SubscriptionSelector) async throws -> Counts {
        let keys = try ledger.reader.facts.keys(
            ofOriginalTransactionId: selector.originalTransactionId, environment: selector.environment,
            bundleId: selector.bundleId)
        guard keys.count <= 1 else { throw CustomerError.subscriptionAmbiguous }
        guard let key = keys.first else { throw CustomerError.subscriptionUnknown }
        let account = try account(of: key)
        guard let way = account.way else { throw AppStoreConnections.none }
        var counts = Counts()
        if way.take(.statuses) != nil {
            if way.stop == nil { counts.rateLimited = 1 }
        } else {
            let call = try call(way, account, key, .statuses)
            asking.formUnion(account.keys)
            counts = try await make(call)
        }
        counts.stoppedCalls = way.stop.map { [$0] } ?? []
        try storeAttempts()
        return counts
    }

    // MARK: - What is due

    /// Brings the queues up to the head of the log.
    private func follow() async throws {
        guard let position, now < horizon.advanced(byMilliseconds: -Self.margin) else { return try await fill() }
        let size = try ledger.reader.knownSize(nil)
        guard size > position else { return }
        let snapshot = try ledger.reader.facts.snapshot(knownAt: size)
        // A receipt may have thousands of keys, all of one account.
        var enqueued: Set<SubscriptionKey> = []
        for key in try snapshot.keys(in: position..<snapshot.size) where !enqueued.contains(key) {
            enqueued.formUnion(try enqueue(key))
        }
        self.position = snapshot.size
    }

    /// Fills the queues from all facts.
    private func fill() async throws {
        let (now, reader, policy, store) = (now, ledger.reader, policy, store)
        let horizon = now.advanced(byMilliseconds: Self.span)
        try storeAttempts()
        let (polls, size) = try await DispatchQueue.global().run {
            try reader.duePolls(at: now, before: horizon, policy: policy, store)
        }
        queues = Dictionary(uniqueKeysWithValues: ways.apps.map { ($0, PollQueue()) })
        for poll in polls { queues[poll.poll.key.app]?.set(poll.poll, of: poll.account) }
        (position, self.horizon) = (size, horizon)
    }

    /// Puts the account of a key into its queue.
    /// - Returns: the keys of the account; none for an app that is not asked about.
    @discardableResult
    private func enqueue(_ key: SubscriptionKey) throws -> [SubscriptionKey] {
        guard ways.apps.contains(key.app) else { return [] }
        let account = try account(of: key)
        enqueue(account)
        return account.keys
    }

    private func enqueue(_ account: Account) {
        guard let first = account.keys.first else { return }
        let isSoon = account.poll.map { $0.dueAt < horizon } ?? false
        queues[first.app]?.set(isSoon ? account.poll : nil, of: account.keys)
    }

    private func account(of key: SubscriptionKey) throws -> Account {
        let timelines = try ledger.reader.facts.timelines(around: key, knownAt: .max)
        let keys = timelines.keys.sorted()
        let lineages = Lineage.components(of: timelines)
        var attempt = try store.attempt(about: keys)
        for key in keys { changedAttempts[key].map { attempt.join($0) } }
        let token = ways.usesReceipts(key.app) ? ReceiptToken(of: timelines, after: attempt) : nil
        let way = ways.way(for: key.app, attempt, token)
        let poll = try way == nil ? nil : lineages.duePoll(at: now, after: attempt, policy: policy, rules: rules)
        return Account(keys: keys, lineages: lineages, attempt: attempt, way: way, poll: poll)
    }

    var now: Instant { ledger.configuration.clock() }
    private var rules: Rules { get throws { try ledger.reader.rules(knownAt: .max) } }

    // MARK: - Asking

    struct Call: Sendable {
        let way: PollWay
        let key: SubscriptionKey
        let question: PollQuestion
        /// The account before the call, with the earlier questions about it.
        let account: Account
        fileprivate let before: Set<PolledState>
    }

    /// Returns the next call that is due and within the budget; nil when there is none.
    /// - Parameters:
    ///   - waiting: the apps about which no more calls are made in this round.
    ///   - stopped: those about which no more calls are made until the next start.
    private func nextCall(
        _ waiting: inout Set<CallBudget.App>, _ stopped: inout Set<CallBudget.App>
    ) throws -> Call? {
        while let (app, row) = firstPoll(at: now, except: waiting.union(stopped)) {
            try Task.checkCancellation()
            // Something may have answered it since it was put into the queue.
            let account = try account(of: row.account)
            guard let poll = account.poll, let way = account.way, poll.dueAt <= now,
                asking.isDisjoint(with: account.keys)
            else {
                queues[app]?.remove(row)
                if asking.isDisjoint(with: account.keys) { enqueue(account) }
                continue
            }
            guard way.take(poll.question) == nil else {
                if way.stop == nil { waiting.insert(app) } else { stopped.insert(app) }
                continue
            }
            let call = try call(way, account, poll.key, poll.question)
            queues[app]?.remove(row)
            asking.formUnion(account.keys)
            return call
        }
        return nil
    }

    /// Returns the most urgent poll of the apps that take calls.
    private func firstPoll(
        at t: Instant, except waiting: Set<CallBudget.App>
    ) -> (CallBudget.App, PollQueue.Ready)? {
        ways.apps.subtracting(waiting)
            .compactMap { app in self.queues[app]?.first(at: t).map { (app, $0) } }
            .min { $0.1 < $1.1 }
    }

    private func call(
        _ way: PollWay, _ account: Account, _ key: SubscriptionKey, _ question: PollQuestion
    ) throws -> Call {
        Call(
            way: way, key: key, question: question, account: account,
            before: PolledState.all(account.lineages, at: now, try rules))
    }

    /// Makes a call, and puts the account back into the queue, also after an error.
    private func make(_ call: Call) async throws -> Counts {
        defer { asking.subtract(call.account.keys) }
        do {
            let (counts, attempt) = try await ask(call)
            changedAttempts[call.key, default: call.account.attempt].join(attempt)
            if changedAttempts.count >= Self.unstoredAttempts { try storeAttempts() }
            try enqueue(call.key)
            return counts
        } catch {
            // Its poll is judged again when it is taken.
            enqueue(call.account)
            throw error
        }
    }

    private func ask(_ call: Call) async throws -> (counts: Counts, attempt: PollStore.Attempt) {
        var counts = Counts()
        counts.polled = 1
        var attempt = PollStore.Attempt()
        if call.question == .statuses { attempt.attemptedAt = now }
        do {
            let isAnswered =
                switch call.way {
                case .serverAPI(let connection): try await ask(connection, call, &attempt)
                case .verifyReceipt(let connection, let token): try await ask(connection, token, call, &attempt)
                }
            if isAnswered {
                let after = PolledState.all(try account(of: call.key).lineages, at: now, try rules)
                if after == call.before { counts.unchanged = 1 } else { counts.changed = 1 }
                return (counts, attempt)
            }
        } catch is ServerAPIFailure {}
        counts.failed = 1
        if call.question == .history { attempt.historyFailedAt = now }
        return (counts, attempt)
    }

    /// Asks the App Store Server API. Returns whether it answered the question.
    private func ask(
        _ connection: AppStoreConnection, _ call: Call, _ attempt: inout PollStore.Attempt
    ) async throws -> Bool {
        let id = call.key.originalTransactionId
        let revision = call.account.attempt.revision.flatMap { $0.isEmpty ? nil : $0 }
        let request: ServerAPIRequest =
            switch call.question {
            case .statuses: .subscriptionStatuses(id)
            case .history: .transactionHistory(id, revision: revision)
            }
        let reply = try await connection.call(request)
        let question = ServerAPIQuestion(
            request.endpoint, target: request.target, bundleId: call.key.bundleId, environment: call.key.environment)
        let outcome = try await ledger.record(reply.bytes, to: question, source: .poll)
        guard case .recorded = outcome, !reply.isRetryable else { return false }
        note(reply, of: call, in: &attempt)
        return true
    }

    /// Notes an answer, and how far the history of an account was read. A revision that no longer exists, and one that
    /// does not advance, begins it again.
    private func note(_ reply: ServerAPIReply, of call: Call, in attempt: inout PollStore.Attempt) {
        if case .error(Self.transactionUnknown, _) = reply.outcome { attempt.unknownAt = now }
        guard call.question == .history else {
            attempt.answeredAt = now
            return
        }
        if case .error(let code, _) = reply.outcome {
            attempt.historyFailedAt = now
            if code == Self.revisionUnknown { (attempt.revision, attempt.revisedAt) = ("", now) }
            return
        }
        let revision = reply.body?["revision"]?.string
        let hasMore = reply.body?["hasMore"]?.bool == true
        guard !(hasMore && revision == call.account.attempt.revision) else {
            (attempt.revision, attempt.revisedAt, attempt.historyFailedAt) = ("", now, now)
            return
        }
        (attempt.revision, attempt.revisedAt) = (revision, now)
        if !hasMore { attempt.historyAt = now }
    }

    /// https://developer.apple.com/documentation/appstoreserverapi/error-codes
    private static let revisionUnknown: Int64 = 4_000_005
    private static let transactionUnknown: Int64 = 4_040_010

    private func storeAttempts() throws {
        try store.store(changedAttempts)
        changedAttempts = [:]
    }
}

extension SubscriptionKey {
    fileprivate init(_ id: SubscriptionID) {
        self.init(
            environment: Environment(rawValue: id.environment), bundleId: id.bundleId,
            originalTransactionId: id.originalTransactionId)
    }

    fileprivate var app: CallBudget.App { CallBudget.App(bundleId: bundleId, environment: environment) }
}

extension Poller.Counts {
    fileprivate mutating func add(_ other: Self) {
        polled += other.polled
        changed += other.changed
        unchanged += other.unchanged
        failed += other.failed
        rateLimited += other.rateLimited
    }
}

extension AskedAccount {
    init(_ attempt: PollStore.Attempt) {
        self.init(
            attemptedAt: attempt.attemptedAt, answeredAt: attempt.answeredAt, historyAt: attempt.historyAt,
            historyFailedAt: attempt.historyFailedAt)
    }
}

/// The part of a state that an answer of Apple may change.
private struct PolledState: Hashable, Sendable {
    let key: SubscriptionKey
    let status: Status
    let productId: Symbol?
    let expiresAt: Instant?
    let willRenew: Bool?
    let pendingProductId: Symbol?
    let revokedAt: Instant?

    static func all(_ lineages: [Lineage], at t: Instant, _ rules: Rules) -> Set<PolledState> {
        Set(
            lineages.states(at: t, rules: rules).map { state in
                PolledState(
                    key: state.key, status: state.status, productId: state.productId, expiresAt: state.expiresAt,
                    willRenew: state.willRenew, pendingProductId: state.pendingProductId,
                    revokedAt: state.revokedAt)
            })
    }
}
