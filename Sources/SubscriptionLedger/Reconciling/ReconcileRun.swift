import AppStoreClient
import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives

/// One comparison of Apple's notification history with the log, for one app.
struct ReconcileRun {
    private let ledger: LedgerWriter
    private let connection: AppStoreConnection
    /// The positions of the missing notifications that an earlier run appended.
    private let foundBefore: Set<Position>
    /// The positions of the missing notifications that this run counted.
    private(set) var found: Set<Position> = []
    private(set) var answer = ReconcileAnswer(since: .latest, until: .earliest)
    /// The start of the part that Apple answered about.
    private(set) var start = Instant.earliest
    /// The notifications of the current day that are counted. A day is read again when its pages no longer fit together.
    private var counted: Set<Digest> = []

    /// https://developer.apple.com/documentation/appstoreserverapi/error-codes
    private static let startTooFarInPast: Int64 = 4_000_012
    private static let pagesNoLongerFit: Set<Int64> = [4_000_014, 4_000_017]
    private static let repetitions = 3
    /// The failed calls in a row after which a comparison ends: about an hour of pauses.
    private static let failures = 20
    private static let pause = Duration.milliseconds(100)

    /// - Parameter found: those of an earlier run, which count as missing here.
    init(_ ledger: LedgerWriter, _ connection: AppStoreConnection, found: Set<Position>) {
        self.ledger = ledger
        self.connection = connection
        foundBefore = found
    }

    /// Reads a window day by day, so that a page token is used for a short time only.
    mutating func read(
        _ window: ClosedRange<Instant>, onlyFailures: Bool = false,
        report: (Double) async throws -> Void = { _ in }
    ) async throws {
        start = window.lowerBound
        var day = window.lowerBound
        var repetition = 0
        while day < window.upperBound {
            let next = min(day.advanced(byMilliseconds: Instant.millisecondsPerDay), window.upperBound)
            // Both ends belong to Apple's window.
            let range = day...next.advanced(byMilliseconds: next == window.upperBound ? 0 : -1)
            switch try await readDay(range, onlyFailures: onlyFailures) {
            case .complete: (day, repetition, counted) = (next, 0, [])
            case .startTooFarInPast:
                day = min(day.advanced(byMilliseconds: Instant.millisecondsPerHour), window.upperBound)
                start = day
            case .incomplete(let found):
                repetition += 1
                guard repetition <= Self.repetitions else {
                    throw ReconcileFailure(found: "\(found), \(repetition) times for one day")
                }
            }
            let length = window.upperBound.milliseconds - window.lowerBound.milliseconds
            try await report(Double(day.milliseconds - window.lowerBound.milliseconds) / Double(max(length, 1)))
        }
    }

    /// The outcome of reading a day.
    private enum Day {
        case complete
        case startTooFarInPast
        /// The day has to be read again.
        case incomplete(found: String)
    }

    private mutating func readDay(_ day: ClosedRange<Instant>, onlyFailures: Bool) async throws -> Day {
        var token: String?
        while true {
            let reply = try await ask(.notificationHistory(day, onlyFailures: onlyFailures, token: token))
            if case .error(let code, let message) = reply.outcome {
                if code == Self.startTooFarInPast, token == nil { return .startTooFarInPast }
                if Self.pagesNoLongerFit.contains(code) { return .incomplete(found: "\(code)") }
                throw ReconcileFailure(found: "\(code) \(message)")
            }
            try await compare((reply.body?["notificationHistory"]?.elements ?? []).compactMap { HistoryItem($0) })
            guard reply.body?["hasMore"]?.bool == true else { return .complete }
            let next = reply.body?["paginationToken"]?.string
            guard let next, next != token else { return .incomplete(found: "more pages without a new paginationToken") }
            token = next
        }
    }

    private func ask(_ request: ServerAPIRequest) async throws -> ServerAPIReply {
        var failed = 0
        while true {
            while connection.take(request.endpoint) != nil {
                if let diagnosis = connection.stoppedBy { throw ReconcileFailure(diagnosis) }
                try await Task.sleep(for: Self.pause)
            }
            do {
                let reply = try await connection.call(request)
                guard reply.isRetryable else { return reply }
                throw ServerAPIFailure.unavailable(found: "\(reply.outcome)")
            } catch let failure as ServerAPIFailure {
                failed += 1
                guard failure.diagnosis.isRetryable, failed < Self.failures else {
                    throw ReconcileFailure(failure.diagnosis)
                }
            }
        }
    }

    /// Compares the notifications of a page, and appends those that are missing.
    private mutating func compare(_ items: [HistoryItem]) async throws {
        var missing: [(item: HistoryItem, checked: CheckedArtifact)] = []
        for item in items {
            let checked = await ledger.check(item.payload, as: .notification, source: .reconcile)
            guard counted.insert(Self.identity(of: checked, item)).inserted else { continue }
            guard case .accepted(let event) = checked, let position = try await ledger.log.firstPosition(of: event),
                !foundBefore.contains(position) || found.contains(position)
            else {
                missing.append((item, checked))
                continue
            }
            // Apple dates a notification by its first attempt, so one that waits for it can move to another day.
            guard !found.contains(position) else { continue }
            answer.matched += 1
            guard let first = item.firstAttempt, let record = try ledger.reader.log.record(at: position),
                record.source != .reconcile
            else { continue }
            answer.lateness.add(milliseconds: record.recordedAt.milliseconds - first.milliseconds)
        }
        let outcomes = try await ledger.append(missing.map(\.checked), source: .reconcile)
        for (outcome, missing) in zip(outcomes, missing) { count(outcome, missing.item) }
    }

    private mutating func count(_ outcome: IngestOutcome, _ item: HistoryItem) {
        answer.missing += 1
        var wasFoundBefore = false
        switch outcome {
        case .appended(let result):
            answer.ingested += 1
            found.insert(result.position)
            wasFoundBefore = foundBefore.contains(result.position)
        case .refused, .kept: answer.unverifiable += 1
        }
        // Apple may have delivered a notification after an earlier run found it.
        if item.isConfirmed, !wasFoundBefore { answer.lost += 1 }
        if item.hasAttemptsLeft(connection.app.environment) { answer.pending += 1 }
    }

    /// Identifies a notification across its signatures.
    private static func identity(of checked: CheckedArtifact, _ item: HistoryItem) -> Digest {
        guard case .accepted(let event) = checked, let key = event.notificationKey else {
            return Digest.sha256(of: item.payload)
        }
        return Digest.sha256(of: key.bytes)
    }
}

/// A notification in Apple's history, with the attempts to deliver it.
/// https://developer.apple.com/documentation/appstoreserverapi/notificationhistoryresponseitem
private struct HistoryItem {
    let payload: [UInt8]
    /// The results, the earliest first.
    private let attempts: [(date: Instant?, result: String)]

    /// The first attempt, and five more, 1 to 72 hours later.
    /// https://developer.apple.com/documentation/appstoreservernotifications/responding-to-app-store-server-notifications
    private static let attemptLimit = 6

    /// Nil without a payload.
    init?(_ json: JSONView) {
        guard let payload = json["signedPayload"]?.string else { return nil }
        self.payload = Array(payload.utf8)
        let attempts = (json["sendAttempts"]?.elements ?? []).map { attempt in
            (
                date: attempt["attemptDate"]?.integer.map { Instant(milliseconds: $0) },
                result: attempt["sendAttemptResult"]?.string ?? ""
            )
        }
        self.attempts = attempts.sorted { ($0.date ?? .earliest) < ($1.date ?? .earliest) }
    }

    var firstAttempt: Instant? { attempts.first?.date }
    var isConfirmed: Bool { attempts.contains { $0.result == "SUCCESS" } }

    /// Whether Apple will deliver the notification again.
    func hasAttemptsLeft(_ environment: Environment) -> Bool {
        !isConfirmed && environment == .production && attempts.count < Self.attemptLimit
    }
}
