import AppStoreSimulation
import AppStoreVerification
import FoundationEssentials
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// A ledger of simulated notifications, added one at a time, with the projection of the subscriptions' states.
final class ProjectedLedger: Sendable {
    static let projection = "subscription-status"
    private static let start = Instant(milliseconds: 1_800_000_000_000)

    let folder: DataFolder
    private let notifications: BulkNotifications

    /// - Parameter count: the number of notifications that can be added.
    init(_ folder: DataFolder, notifications count: Int) {
        self.folder = folder
        notifications = BulkNotifications(count: count)
    }

    /// Adds the notifications of these numbers, a day apart.
    func add(_ numbers: Range<Int>) async throws {
        for number in numbers {
            let now = Self.start.advanced(byMilliseconds: Int64(number) * Instant.millisecondsPerDay)
            var configuration = Ledger.Configuration(folder: folder) { now }
            configuration.trust = TrustPolicy(
                configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
            let ledger = try LedgerWriter(configuration)
            let checked = await ledger.check(notifications[number].jws.compact, source: .file)
            _ = try await ledger.append([checked], source: .file)
            ledger.close()
        }
    }

    func reader() throws -> LedgerReader {
        try LedgerReader(Ledger.Configuration(folder: folder) { Self.start })
    }

    /// Returns the arguments of a command about the projection.
    func arguments(_ command: String, _ options: String...) -> [String] {
        let name = command == "status" ? [] : [Self.projection]
        return ["project", command] + name + options + ["--data", folder.path, "--format", "json"]
    }

    /// Runs a rebuild to its end.
    /// - Returns: the stored projection, and the time that it took.
    @discardableResult
    func rebuild(_ options: String...) throws -> (row: ProjectionRow, duration: Duration) {
        let start = ContinuousClock.now
        let run = try Subledger(arguments("rebuild") + options)
        try #require(run.ending == .exited(0), "\(run.errors)")
        let duration = ContinuousClock.now - start
        return (try #require(try reader().projections().rows.first), duration)
    }

    /// Requires that the stored rows are whole and are those of `state` for every subscription, at the size and the
    /// instant of the projection.
    func requireStates() throws {
        let reader = try reader()
        let projected = try reader.projectedRows(of: Self.projection)
        var rows: [String] = []
        while let next = try projected.next() { rows += next.map { $0.serialized() } }
        try #require(rows.count == projected.projection.rows)
        let (asOf, size) = (projected.projection.asOf, projected.projection.knownAt)
        let question = AsOfQuery(asOf: asOf, knownAt: .size(size))
        let numbers = stride(from: 0, to: Int(size), by: BulkNotifications.notificationsPerSubscription)
        let states = try numbers.flatMap { number -> [SubscriptionRow] in
            let id = try #require(notifications[number].unsigned.originalTransactionId)
            return try reader.state(of: SubscriptionSelector(originalTransactionId: id), question)?.subscriptions ?? []
        }
        let expected = states.sorted { $0.id.originalTransactionId < $1.id.originalTransactionId }
        try #require(rows == expected.map { $0.json.serialized() })
        try #require(!rows.isEmpty)
    }
}
