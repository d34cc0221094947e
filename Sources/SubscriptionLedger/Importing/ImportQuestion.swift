import AppStoreClient
import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import Primitives

/// A row of an import that Apple is asked about, one call after the other: the transactions of its account, then the
/// status of its subscription.
struct ImportQuestion: Sendable {
    /// The next call.
    enum Step: Hashable, Sendable {
        /// The originalTransactionId of a transaction.
        case transaction
        /// A page of the history, after a revision.
        case history(revision: String?)
        case statuses
    }

    let file: ImportFile
    let line: Int
    let row: ImportRow
    let caller: Caller
    let id: String
    /// The apps in which the id may be known, the one that is asked first.
    private var candidates: ArraySlice<AppStoreConnection>
    private var step: Step
    private var key: SubscriptionKey?
    private var hasHistory = false
    /// Whether the log may have a part of what Apple has, of an earlier process or of this question.
    private var isBegun: Bool
    /// The place among all rows that Apple is asked about.
    let number: Int
    /// The errors of this id in a row that a repetition may cure.
    private var retries = 0
    /// The time of the next call.
    private(set) var resumesAt = Instant.earliest

    /// The codes of an id that the app does not have.
    /// https://developer.apple.com/documentation/appstoreserverapi/error-codes
    private static let unknownIds: Set<Int64> = [4_000_006, 4_000_008, 4_040_005, 4_040_010]
    private static let revisionUnknown: Int64 = 4_000_005
    /// The waits after errors that a repetition may cure.
    private static let waits = [1, 4, 16].map { $0 * Instant.millisecondsPerMinute }

    /// Nil for a row without an id, or about no app that has a connection.
    init?(
        _ row: ImportRow, file: ImportFile, line: Int, caller: Caller, isBegun: Bool,
        number: Int, _ connections: [AppStoreConnection]
    ) {
        let candidates = connections.filter { row.allows($0.app) }.sorted { left, right in
            left.app.environment == .production && right.app.environment != .production
        }
        guard let id = row.id, !candidates.isEmpty else { return nil }
        (self.row, self.file, self.line, self.caller, self.id) = (row, file, line, caller, id)
        self.candidates = candidates[...]
        self.isBegun = isBegun
        self.number = number
        step = Self.firstStep(row)
    }

    private static func firstStep(_ row: ImportRow) -> Step {
        if case .transactionId = row.source { .transaction } else { .history(revision: nil) }
    }

    /// The connection of the next call. A verdict comes before there is none.
    var connection: AppStoreConnection? { candidates.first }

    var endpoint: ServerAPIEndpoint {
        switch step {
        case .transaction: .transactionInfo
        case .history: .transactionHistory
        case .statuses: .subscriptionStatuses
        }
    }

    private var request: ServerAPIRequest {
        switch step {
        case .transaction: .transactionInfo(id)
        case .history(let revision): .transactionHistory(key?.originalTransactionId ?? id, revision: revision)
        case .statuses: .subscriptionStatuses(key?.originalTransactionId ?? id)
        }
    }

    /// Returns the verdict on a row that became known since it was read; nil for any other.
    func verdictWithoutAsking(_ ledger: LedgerWriter) async throws -> ImportVerdict? {
        isBegun ? nil : try await RowDecision(ledger: ledger, caller: caller).verdict(on: row)
    }

    /// Makes the next call, which was taken out of the budget.
    /// - Returns: the verdict; nil when there are more calls to make.
    /// - Throws: `ServerAPIFailure`, after which the same call is to be made again; `StorageError`; `CancellationError`.
    mutating func ask(_ ledger: LedgerWriter, _ polls: PollStore) async throws -> ImportVerdict? {
        guard let connection = candidates.first else { return ImportVerdict(.unknownId) }
        let wasBegun = isBegun
        isBegun = true
        let request = request
        let reply = try await connection.call(request, inBackground: true)
        let question = ServerAPIQuestion(
            request.endpoint, target: request.target, bundleId: connection.app.bundleId,
            environment: connection.app.environment)
        let outcome = try await ledger.record(reply.bytes, to: question, source: .import)
        guard case .recorded(let event, let refused) = outcome else {
            guard case .refused(let refusal) = outcome else { return nil }
            return ImportVerdict(.refused, refusal.code.rawValue)
        }
        if case .error(let code, _) = reply.outcome {
            return reply.isRetryable ? wait(after: String(code), ledger) : next(after: code)
        }
        let refusal = refused.first.map { ImportVerdict(.refused, $0.code.rawValue) } ?? ImportVerdict(.unknownId)
        switch step {
        case .transaction:
            key = try ledger.reader.facts.snapshot().keys(in: event.position..<event.position + 1).first
            guard let key else { return refusal }
            guard try isAsked(key, in: event, ledger) else {
                return ImportVerdict(.refused, RefusalCode.answerMismatch.rawValue)
            }
            if hasHistory { return try await statuses(of: key, ledger, polls) }
            let before = try ledger.reader.facts.timelines(around: key, knownAt: event.position)
            step = .history(revision: nil)
            // An earlier call about this row may have stored only a part of the history.
            return before[key] == nil || wasBegun ? nil : try await verdict(.known, key, ledger)
        case .history(let revision):
            if reply.body?["hasMore"]?.bool == true {
                guard let more = Self.revision(after: reply, revision) else {
                    return wait(after: RefusalCode.claimMalformed.rawValue, ledger)
                }
                (step, retries) = (.history(revision: more), 0)
                return nil
            }
            retries = 0
            hasHistory = true
            if let key = try key ?? found(in: connection.app, ledger) {
                return try await statuses(of: key, ledger, polls)
            }
            // It may be the id of another transaction of the account.
            step = .transaction
            return nil
        case .statuses:
            guard let key else { return refusal }
            try note(key, ledger, polls)
            return try await verdict(.filled, key, ledger)
        }
    }

    /// Continues after the history: with the status of a subscription. Other purchases have none.
    private mutating func statuses(
        of key: SubscriptionKey, _ ledger: LedgerWriter, _ polls: PollStore
    ) async throws -> ImportVerdict? {
        (self.key, retries) = (key, 0)
        try note(key, ledger, polls)
        guard try isSubscription(key, ledger) else { return try await verdict(.filled, key, ledger) }
        step = .statuses
        return nil
    }

    /// Lets the same call wait after an error that a repetition may cure. Calls about other ids need not wait for it.
    private mutating func wait(after code: String, _ ledger: LedgerWriter) -> ImportVerdict? {
        guard retries < Self.waits.count else { return ImportVerdict(.refused, code) }
        resumesAt = ledger.configuration.clock().advanced(byMilliseconds: Self.waits[retries])
        retries += 1
        return nil
    }

    /// Continues after an error of Apple, with another app or environment if the id is unknown in this one.
    private mutating func next(after code: Int64) -> ImportVerdict? {
        if code == Self.revisionUnknown, step != .history(revision: nil) {
            step = .history(revision: nil)
            return nil
        }
        guard Self.unknownIds.contains(code) else { return ImportVerdict(.refused, String(code)) }
        candidates = candidates.dropFirst()
        (step, hasHistory, retries) = (Self.firstStep(row), false, 0)
        return candidates.isEmpty ? ImportVerdict(.unknownId) : nil
    }

    /// Returns the revision of the page to read next; nil for none, or one that does not advance.
    private static func revision(after reply: ServerAPIReply, _ last: String?) -> String? {
        guard let revision = reply.body?["revision"]?.string, revision != last else { return nil }
        return revision
    }

    /// Whether an answer about a transaction states the id that Apple was asked about.
    private func isAsked(_ key: SubscriptionKey, in event: AppendResult, _ ledger: LedgerWriter) throws -> Bool {
        guard key.originalTransactionId != id else { return true }
        let stated = try ledger.reader.facts.timelines(around: key, knownAt: event.position + 1)[key]
        return stated?.transactions.contains { $0.value.transactionId.text == id } == true
    }

    private func found(in app: CallBudget.App, _ ledger: LedgerWriter) throws -> SubscriptionKey? {
        try ledger.reader.facts.keys(
            ofOriginalTransactionId: id, environment: app.environment, bundleId: app.bundleId
        ).first
    }

    private func isSubscription(_ key: SubscriptionKey, _ ledger: LedgerWriter) throws -> Bool {
        try ledger.reader.facts.timelines(around: key, knownAt: .max)[key]?.transactions
            .contains { $0.value.type == .autoRenewable } == true
    }

    /// Spares the poller the same question.
    private func note(_ key: SubscriptionKey, _ ledger: LedgerWriter, _ polls: PollStore) throws {
        let now = ledger.configuration.clock()
        var attempt = try polls.attempt(about: [key])
        var made = PollStore.Attempt()
        if step == .statuses { (made.attemptedAt, made.answeredAt) = (now, now) } else { made.historyAt = now }
        attempt.join(made)
        try polls.store([key: attempt])
    }

    private func verdict(
        _ word: ImportVerdict.Word, _ key: SubscriptionKey, _ ledger: LedgerWriter
    ) async throws -> ImportVerdict {
        try await RowDecision(ledger: ledger, caller: caller).link([key], row) ?? ImportVerdict(word)
    }
}
