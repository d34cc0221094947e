import AppStoreClient
import AppStoreModel
import EventLog
import FactStore
import Ingestion
package import LedgerConfiguration
import LedgerModel
import Primitives

/// Answers Apple's requests for consumption information, once each, for customers who consented.
///
/// A request waits for the consent until its deadline. An event before each call, and one after, record what was sent.
package actor ConsumptionAnswers {
    private let ledger: LedgerWriter
    private let connections: [CallBudget.App: AppStoreConnection]
    private let settings: Settings.Consumption
    /// The events that were looked through; nil before the first round.
    private var position: Position?
    private var open: [ConsumptionRequest] = []
    /// The calls that Apple asked to repeat, with the time of the next.
    private var repetitions: [ConsumptionRequest: (count: Int, resumesAt: Instant)] = [:]

    private static let act = "sendConsumption"
    /// Apple repeats a notification for three days, so an unanswered one arrives again.
    private static let span = 12 * Instant.millisecondsPerHour
    /// The wait before the first repetition; it doubles with each, up to an hour.
    private static let firstWait = Instant.millisecondsPerMinute
    /// The events that a round looks through.
    private static let roundSize: Position = 16_384

    package init(_ ledger: LedgerWriter, _ connections: [AppStoreConnection], _ settings: Settings.Consumption) {
        self.ledger = ledger
        self.settings = settings
        self.connections = Dictionary(uniqueKeysWithValues: connections.map { ($0.app, $0) })
    }

    /// The requests that wait for a consent, or for a call.
    package var openRequests: Int { open.count }

    /// Answers the requests that can be answered now.
    /// - Returns: the number of calls.
    /// - Throws: `StorageError`; `CancellationError`.
    package func round() async throws -> Int {
        guard settings.enabled, !connections.isEmpty else { return 0 }
        try await follow()
        var calls = 0
        var waiting: [ConsumptionRequest] = []
        for request in open {
            try Task.checkCancellation()
            switch try await answer(request) {
            case .waits: waiting.append(request)
            case .called(let isFinal):
                calls += 1
                if !isFinal { waiting.append(request) }
            case .ended: break
            }
        }
        open = waiting
        repetitions = repetitions.filter { waiting.contains($0.key) }
        return calls
    }

    /// Finds the requests among new events, and at the start among those of the last twelve hours.
    private func follow() async throws {
        let size = try ledger.reader.knownSize(nil)
        var next = try position ?? firstPosition(since: now.advanced(byMilliseconds: -Self.span), below: size)
        let end = min(size, next + Self.roundSize)
        while next < end {
            if let facts = try ledger.reader.facts.facts(at: next)?.facts, let request = ConsumptionRequest(facts),
                connections[request.app] != nil, try await !isAnswered(request), !open.contains(request)
            {
                open.append(request)
            }
            next += 1
        }
        position = next
    }

    private func firstPosition(since instant: Instant, below size: Position) throws -> Position {
        var (low, high) = (Position(0), size)
        while low < high {
            let middle = (low + high) / 2
            guard let record = try ledger.reader.log.record(at: middle) else { return low }
            if record.recordedAt < instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private enum Step {
        /// Nothing can be sent yet.
        case waits
        case called(isFinal: Bool)
        /// Nothing will be sent.
        case ended
    }

    private func answer(_ request: ConsumptionRequest) async throws -> Step {
        guard try await !isAnswered(request), let connection = connections[request.app] else { return .ended }
        let consents = try hasConsent(request)
        guard now <= request.deadline else {
            if consents {
                try await note(request, [.init("outcome", .string("late")), .init("code", .string(Self.late))])
            }
            return .ended
        }
        guard consents, repetitions[request].map({ $0.resumesAt <= now }) ?? true,
            connection.take(.consumption) == nil
        else { return .waits }
        return try await send(try await recordedInformation(about: request), about: request, connection)
    }

    private func send(
        _ information: JSONValue, about request: ConsumptionRequest, _ connection: AppStoreConnection
    ) async throws -> Step {
        do {
            let reply = try await connection.call(.sendConsumption(information, of: request.transactionId))
            switch reply.outcome {
            case .success: try await note(request, [.init("outcome", .string("accepted"))])
            case .error where reply.isRetryable:
                postpone(request)
                return .called(isFinal: false)
            case .error(let code, _):
                try await note(request, [.init("outcome", .string("refused")), .init("code", .string("\(code)"))])
            }
            return .called(isFinal: true)
        } catch is ServerAPIFailure {
            return .called(isFinal: false)
        }
    }

    private func postpone(_ request: ConsumptionRequest) {
        let count = repetitions[request]?.count ?? 0
        let wait = min(Self.firstWait << Int64(min(count, 6)), Instant.millisecondsPerHour)
        repetitions[request] = (count + 1, now.advanced(byMilliseconds: wait))
    }

    private static let late = "consumption_late"

    /// Records the information before it is sent. A repetition sends what was recorded before the first call.
    private func recordedInformation(about request: ConsumptionRequest) async throws -> JSONValue {
        let information = try information(about: request)
        let requested = try await ledger.append(
            ActEvents.requested(
                act(request),
                [
                    .init("bundleId", .string(request.key.bundleId)),
                    .init("originalTransactionId", .string(request.key.originalTransactionId)),
                    .init("transactionId", .string(request.transactionId)),
                    .init("notificationUUID", .string(request.notificationUUID.bytes.text)),
                    .init("information", information),
                ]))
        guard !requested.isAppended, let record = try ledger.reader.log.record(at: requested.position),
            let recorded = (try? JSONDocument(parsing: record.body))?.root["information"]
        else { return information }
        return JSONValue(recorded)
    }

    /// https://developer.apple.com/documentation/appstoreserverapi/consumptionrequest
    private func information(about request: ConsumptionRequest) throws -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("customerConsented", .bool(true)), .init("deliveryStatus", .string("DELIVERED")),
            .init("sampleContentProvided", .bool(try settings.sampleContentProvided || hadTrial(before: request))),
        ]
        // Apple knows how much of a subscription was used. Of anything else the ledger does not, and a prorated refund
        // would need it.
        let isRenewable = request.type == .autoRenewable
        if let preference = settings.refundPreference, isRenewable || preference != .grantProrated {
            members.append(.init("refundPreference", .string(preference.rawValue)))
        }
        return .object(members)
    }

    /// Whether the account had a free trial of the subscription before the transaction.
    private func hadTrial(before request: ConsumptionRequest) throws -> Bool {
        let transactions = try timeline(of: request).transactions.map(\.value)
        let start = transactions.last { $0.transactionId.text == request.transactionId }?.purchaseDate
        return transactions.contains { other in
            guard let start, let begun = other.purchaseDate, other.offer?.offerDiscountType == .freeTrial else {
                return false
            }
            return begun < start
        }
    }

    private func hasConsent(_ request: ConsumptionRequest) throws -> Bool {
        var lookup = try CustomerLookup(in: ledger.reader)
        let evidence = try KnownKeys([request.key], in: ledger.reader.facts, knownAt: lookup.size)
            .evidence(of: request.key)
        try lookup.load(evidence)
        let rule = try ledger.reader.rules(knownAt: lookup.size).customers.claimConflict
        let owners = Ownership(evidence, at: now, directory: lookup.directory, rule: rule).owners
        guard !owners.isEmpty else { return false }
        for owner in owners {
            guard case .customer(let customer) = owner,
                try lookup.hasConsented(customer, in: ledger.reader.facts)
            else { return false }
        }
        return true
    }

    private func timeline(of request: ConsumptionRequest) throws -> Timeline {
        try ledger.reader.facts.timelines(around: request.key, knownAt: .max)[request.key] ?? Timeline()
    }

    private func isAnswered(_ request: ConsumptionRequest) async throws -> Bool {
        try await ledger.log.firstPosition(of: ledger.log.prepare(ActEvents.answered(act(request), []))) != nil
    }

    private func note(_ request: ConsumptionRequest, _ result: [JSONValue.Member]) async throws {
        _ = try await ledger.append(
            ActEvents.answered(
                act(request), [.init("transactionId", .string(request.transactionId))] + result))
    }

    private func act(_ request: ConsumptionRequest) -> ActEvents.Act {
        ActEvents.Act(
            Self.act,
            idempotencyKey: Array(Self.act.utf8) + request.notificationUUID.bytes.value.bigEndianBytes,
            environment: EnvironmentCode(name: request.key.environment.rawValue) ?? .none,
            EventOrigin(source: .poll, keyName: nil))
    }

    private var now: Instant { ledger.configuration.clock() }
}

extension ConsumptionRequest {
    fileprivate var app: CallBudget.App { CallBudget.App(bundleId: key.bundleId, environment: key.environment) }
}
