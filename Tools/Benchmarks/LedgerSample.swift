import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Ingestion
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization

/// A ledger on disk with its log, its facts and its feed of transitions. Each subscription has ten facts in four events:
/// the notifications of its purchase and of two renewals, and the transaction of a third renewal, posted by the app.
/// The events of a subscription are far apart.
struct LedgerSample: Sendable {
    /// The events of a million subscriptions, with ten million facts.
    static let usualEventCount = 4_000_000
    /// Enough subscriptions for the notifications of several measurements.
    static let leastEventCount = 40_000
    private static let eventsPerSubscription = 4
    private static let eventsPerChunk = 4_096
    /// After the last purchase.
    private static let firstRecordedAt = Instant(milliseconds: 1_402_704_000_000)
    /// An instant in the period of the third renewal of every subscription, so that answers are about paying customers.
    static let asOf = "2014-09-20"

    let path: String
    let subscriptions: Int
    private let eventCount: Int
    /// The events of the sample. To sign millions would take most of an hour, and nothing verifies them again.
    private let unsigned: BulkNotifications
    /// The notifications that arrive later.
    private let signed: BulkNotifications

    /// Opens the ledger, which is created once and kept under `.build/`.
    init(events: Int, _ progress: Progress) async throws {
        path = URL(filePath: ".build/benchmarks/ledger-of-\(events)").path
        subscriptions = events / Self.eventsPerSubscription
        eventCount = subscriptions * Self.eventsPerSubscription
        let count = subscriptions * BulkNotifications.notificationsPerSubscription
        unsigned = BulkNotifications(count: count, signer: JWSSigner(signs: false))
        signed = BulkNotifications(count: count)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(SigningAuthority.standard.rootCertificate).write(to: URL(filePath: rootFile))
        let time = SampleClock()
        let ledger = try LedgerWriter(Ledger.Configuration(folder: DataFolder(path: path), clock: { time.now }))
        defer { ledger.close() }
        try await fill(ledger, time, progress)
        progress.report("building the feed of transitions")
        time.set(.sample)
        try ledger.transitions().advance()
    }

    var rootFile: String { path + "/trust-root.der" }

    private func fill(_ ledger: LedgerWriter, _ time: SampleClock, _ progress: Progress) async throws {
        var position = Int(try ledger.reader.size())
        while position < eventCount {
            progress.report("making a ledger: \(position) of \(eventCount) events")
            let chunk = position..<min(position + Self.eventsPerChunk, eventCount)
            let events = try await prepared(chunk, for: ledger)
            time.set(recordedAt(position))
            _ = try await ledger.log.append(events)
            position = chunk.upperBound
        }
    }

    /// Prepares the events at positions, on all cores.
    private func prepared(_ positions: Range<Int>, for ledger: LedgerWriter) async throws -> [PreparedEvent] {
        let cores = Machine.this.cores
        return try await withThrowingTaskGroup(of: (Int, [PreparedEvent]).self) { group in
            for core in 0..<cores {
                let start = positions.lowerBound + positions.count * core / cores
                let end = positions.lowerBound + positions.count * (core + 1) / cores
                group.addTask {
                    (core, try (start..<end).map { ledger.log.prepare(try draft(at: $0)) })
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                .sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    private func draft(at position: Int) throws -> EventDraft {
        let round = position / subscriptions
        let notification = notification(position, round: round, in: unsigned)
        return round == Self.eventsPerSubscription - 1
            ? try EventDraft(unverifiedTransactionOf: notification) : try EventDraft(unverified: notification)
    }

    /// The renewals follow each other by a month, and all subscriptions begin within two weeks.
    private func recordedAt(_ position: Int) -> Instant {
        let (round, number) = position.quotientAndRemainder(dividingBy: subscriptions)
        return Self.firstRecordedAt.advanced(byMilliseconds: Int64(round) * 31 * Instant.millisecondsPerDay)
            .advanced(byMilliseconds: Int64(number) * Instant.millisecondsPerDay / Int64(subscriptions))
    }

    private func notification(
        _ position: Int, round: Int, in notifications: BulkNotifications
    ) -> SignedStoreArtifact {
        // A permutation of the subscriptions: the factor has no divisor in common with their number.
        let subscription = position % subscriptions * 7_919 % subscriptions
        return notifications[subscription * BulkNotifications.notificationsPerSubscription + round]
    }
}

extension LedgerSample {
    /// The number of events in the ledger, which is that of the first notification it does not contain.
    var size: Int {
        get throws {
            let configuration = Ledger.Configuration(folder: DataFolder(path: path), clock: { .sample })
            return Int(try LedgerReader(configuration).size())
        }
    }

    /// Returns the body of a signed notification: a further renewal. Round by round, each subscription has one, until
    /// they are used up and repeat.
    func notificationBody(_ number: Int) -> [UInt8] {
        let round = number / subscriptions % BulkNotifications.notificationsPerSubscription
        return notification(number, round: round, in: signed).body ?? []
    }

    /// Returns the path of the call for a random customer.
    func customerPath(_ call: Int) -> String {
        var generator = SplitMix(state: UInt64(call))
        let customer = Int(generator.next() % UInt64(subscriptions))
        return "/v1/customers/\(BulkNotifications.appAccountToken(ofCustomer: customer))?asOf=\(Self.asOf)"
    }
}

/// The clock of the ledger while the sample is made.
final class SampleClock: Sendable {
    private let milliseconds: Atomic<Int64>

    init(_ instant: Instant = Instant(milliseconds: 0)) {
        milliseconds = Atomic(instant.milliseconds)
    }

    var now: Instant { Instant(milliseconds: milliseconds.load(ordering: .relaxed)) }

    func set(_ instant: Instant) { milliseconds.store(instant.milliseconds, ordering: .relaxed) }
}

extension Instant {
    /// A time after everything in the sample.
    fileprivate static let sample = Instant(milliseconds: 1_420_070_400_000)
}
