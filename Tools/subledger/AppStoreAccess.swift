import DuePolls
import LedgerConfiguration
import SubscriptionLedger

/// The connections of the configured apps, and what asks Apple through them.
struct AppStoreAccess {
    let connections: AppStoreConnections
    let poller: Poller
    let reconciler: Reconciler
    private let attempts: PollStore

    /// Nil without a key for the App Store Server API, a shared secret and a URL of verifyReceipt.
    /// - Throws: `ConfigurationError` for a key or a shared secret that cannot be read; `StorageError`.
    init?(_ settings: Settings, _ ledger: LedgerWriter) throws {
        guard settings.apps.contains(where: \.isAskable) else { return nil }
        attempts = try PollStore(writing: ledger.configuration.folder)
        connections = try AppStoreConnections(settings, clock: ledger.configuration.clock)
        poller = Poller(
            ledger, connections.all, receipts: connections.receipts, attempts, policy: PollPolicy(settings.polling),
            concurrency: settings.polling.concurrency)
        reconciler = Reconciler(ledger, connections.all, attempts)
    }

    /// Returns the importer of a ledger, which asks nobody without a key for the App Store Server API.
    static func importer(_ access: AppStoreAccess?, _ ledger: LedgerWriter, concurrency: Int) throws -> Importer {
        try Importer(
            ledger, access?.connections.all ?? [],
            access?.attempts ?? PollStore(writing: ledger.configuration.folder), concurrency: concurrency)
    }

    /// Runs `body`, and ends the connections.
    func whileOpen(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            await connections.shutdown()
            throw error
        }
        await connections.shutdown()
    }
}
