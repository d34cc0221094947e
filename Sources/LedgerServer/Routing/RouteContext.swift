import Exports
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

/// The parts of the service that routes use.
struct RouteContext: Sendable {
    let ledger: LedgerWriter
    let checkpoint: CheckpointPublisher
    let transitions: TransitionFeed
    let subscribers: Subscribers
    let metrics: Metrics
    /// Nil without a key for the App Store Server API.
    let polling: Polling?
    let importer: Importer
    let offerSigner: OfferSigner
    let exports: ExportScheduler
    let visits = Visits()

    var reader: LedgerReader { ledger.reader }
    var now: Instant { ledger.configuration.clock() }
}

extension RouteContext {
    /// Notes that a caller asked about subscriptions now.
    func noteVisit(to subscriptions: (some Sequence<SubscriptionID>)?) {
        guard let subscriptions, polling?.isEnabled == true else { return }
        visits.note(subscriptions)
    }

    private static let pollInterval = Duration.milliseconds(10)

    /// Waits until the event at a position is known.
    /// - Throws: `position_unknown` (503) after two seconds; `StorageError`.
    func wait(for position: Int64) async throws {
        let deadline = ContinuousClock.now + ServerLimits.positionWait
        while true {
            let size = try reader.knownSize(nil)
            if position < Int64(clamping: size) { return }
            guard ContinuousClock.now < deadline else { throw Problem.positionNotReached(position, size: size) }
            try await Task.sleep(for: Self.pollInterval)
        }
    }
}
