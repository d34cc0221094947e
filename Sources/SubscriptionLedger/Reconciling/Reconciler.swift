import AppStoreClient
import AppStoreModel
import EventLog
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives

/// Compares Apple's notification history with the log, and appends what is missing.
///
/// A missing notification becomes an event of its own, as if Apple had just delivered it. The comparison of each app
/// becomes an event, too.
package struct Reconciler: Sendable {
    private let ledger: LedgerWriter
    private let connections: [AppStoreConnection]
    private let windows: PollStore

    /// Apple needs some time until a notification is in its history.
    private static let delay = 5 * Instant.millisecondsPerMinute
    /// The time by which a window overlaps the last one.
    private static let overlap = Instant.millisecondsPerHour

    package init(_ ledger: LedgerWriter, _ connections: [AppStoreConnection], _ windows: PollStore) {
        self.ledger = ledger
        self.connections = connections
        self.windows = windows
    }

    /// Compares a window for every app.
    /// - Parameter report: called after each day with the share that is done.
    /// - Throws: `ReconcileFailure`; `ConfigurationError` when no app has a key; `StorageError`; `CancellationError`.
    ///   What was found so far stays in the log.
    package func reconcile(
        since: Instant, until: Instant, report: @Sendable (Double) async throws -> Void = { _ in }
    ) async throws -> ReconcileAnswer {
        guard !connections.isEmpty else { throw AppStoreConnections.noKey }
        let sum = try await sum { number, connection in
            try await reconcile(connection, since: since, until: until) { share in
                try await report((Double(number) + share) / Double(connections.count))
            }
        }
        return sum ?? ReconcileAnswer(since: since, until: until)
    }

    /// Compares what happened since the last window of each app: what failed first, since that is most likely missing.
    /// - Throws: as `reconcile(since:until:report:)`.
    package func reconcileSinceLast() async throws -> ReconcileAnswer? {
        guard let first = try ledger.reader.log.record(at: 0)?.recordedAt else { return nil }
        return try await sum { _, connection in
            let last = try windows.reconciledUntil(connection.app)
            let since = last.map { $0.advanced(byMilliseconds: -Self.overlap) } ?? first
            let until = now.advanced(byMilliseconds: -Self.delay)
            guard since < until else { return nil }
            var run = ReconcileRun(ledger, connection, found: [])
            try await run.read(covered(since, until, connection), onlyFailures: true)
            return try await reconcile(connection, since: since, until: until, found: run.found) { _ in }
        }
    }

    /// Adds the answers of all apps. A failure of one is thrown after the others.
    private func sum(
        _ reconcile: (Int, AppStoreConnection) async throws -> ReconcileAnswer?
    ) async throws -> ReconcileAnswer? {
        var sum: ReconcileAnswer?
        var failure: ReconcileFailure?
        for (number, connection) in connections.enumerated() {
            do {
                guard let answer = try await reconcile(number, connection) else { continue }
                if sum == nil { sum = answer } else { sum?.add(answer) }
            } catch let failed as ReconcileFailure {
                failure = failure ?? failed
            }
        }
        if let failure { throw failure }
        return sum
    }

    private var now: Instant { ledger.configuration.clock() }

    /// - Parameter found: the positions of missing notifications that were appended before.
    private func reconcile(
        _ connection: AppStoreConnection, since: Instant, until: Instant, found: Set<Position> = [],
        report: (Double) async throws -> Void
    ) async throws -> ReconcileAnswer {
        let window = covered(since, until, connection)
        var run = ReconcileRun(ledger, connection, found: found)
        try await run.read(window, report: report)
        var answer = run.answer
        (answer.since, answer.until) = (since, window.upperBound)
        if run.start > since { answer.notCovered = ReconcileAnswer.Span(since: since, until: run.start) }
        let app = connection.app
        _ = try await ledger.append(
            ReconcileEvents.reconciled(
                answer.json, bundleId: app.bundleId,
                environment: EnvironmentCode(name: app.environment.rawValue) ?? .none, source: .reconcile))
        try store(reconciledUntil: answer.until, since: since, app)
        return answer
    }

    /// Moves the end of the last window forward, unless a part between the two windows was not compared.
    private func store(reconciledUntil end: Instant, since: Instant, _ app: CallBudget.App) throws {
        let last = try windows.reconciledUntil(app)
        guard let known = try last ?? ledger.reader.log.record(at: 0)?.recordedAt, since <= known,
            end > last ?? .earliest
        else { return }
        try windows.store(reconciledUntil: end, app)
    }

    /// The part of a window that Apple answers about.
    /// https://developer.apple.com/documentation/appstoreserverapi/get-notification-history
    private func covered(
        _ since: Instant, _ until: Instant, _ connection: AppStoreConnection
    ) -> ClosedRange<Instant> {
        let days: Int64 = connection.app.environment == .production ? 180 : 30
        let oldest = now.advanced(byMilliseconds: -days * Instant.millisecondsPerDay)
        let end = min(until, now.advanced(byMilliseconds: -Self.delay))
        return min(max(since, oldest), end)...end
    }
}

/// The reason why Apple's notification history could not be read. The same comparison may be made again.
package struct ReconcileFailure: DiagnosedError, Hashable {
    package let diagnosis: Diagnosis

    /// - Parameter diagnosis: that of calls without an answer.
    init(_ diagnosis: Diagnosis) {
        self.diagnosis = diagnosis
    }

    /// An answer that no repetition cures.
    init(found: String) {
        diagnosis = Diagnosis(
            "notification_history_refused", "Apple refused to give its notification history",
            expected: "a page of the history", found: found)
    }
}
