import Logging
import ServiceLifecycle
package import SubscriptionLedger

/// The questions that a service asks Apple.
package struct Polling: Sendable {
    package let poller: Poller
    package let reconciler: Reconciler
    private let connections: [AppStoreConnection]
    private let receipts: [VerifyReceiptConnection]
    /// Whether the service asks by itself, and not only on behalf of a command.
    package let isEnabled: Bool

    package init(
        poller: Poller, reconciler: Reconciler, connections: [AppStoreConnection],
        receipts: [VerifyReceiptConnection] = [], isEnabled: Bool
    ) {
        self.poller = poller
        self.reconciler = reconciler
        self.connections = connections
        self.receipts = receipts
        self.isEnabled = isEnabled
    }

    /// The apps whose calls stopped.
    var stops: [StoppedCalls] { connections.compactMap(\.stop) + receipts.compactMap(\.stop) }
}

/// Asks Apple what is due, several times a second by the wall clock, whatever the clock of the ledger.
struct PollService: Service {
    let polling: Polling
    let context: RouteContext
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var reported: Set<StoppedCalls> = []
            while (try? await Task.sleep(for: ServerLimits.pollInterval)) != nil {
                guard !context.reader.isCatchingUp else { continue }
                do {
                    let counts = try await polling.poller.round(visited: context.visits.take())
                    context.metrics.count(counts)
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("polling failed", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: ServerLimits.pollPause)
                }
                for stop in polling.stops { report(stop, &reported) }
            }
        }
    }

    /// Logs once that the calls about an app stopped.
    private func report(_ stop: StoppedCalls, _ reported: inout Set<StoppedCalls>) {
        guard reported.insert(stop).inserted else { return }
        logger.error(
            "calls of Apple's servers stopped until the next start",
            metadata: [
                "bundleId": "\(stop.bundleId)", "environment": "\(stop.environment)", "code": "\(stop.code)",
                "hint": "\(stop.hint ?? "")",
            ])
    }
}

extension Metrics {
    fileprivate func count(_ counts: Poller.Counts) {
        for (outcome, count) in [
            ("changed", counts.changed), ("unchanged", counts.unchanged), ("failed", counts.failed),
        ] where count > 0 {
            polls.increment(outcome, by: UInt64(count))
        }
    }
}
