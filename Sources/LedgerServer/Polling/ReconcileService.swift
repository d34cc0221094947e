import LedgerAPI
import Logging
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Compares Apple's notification history with the log at the start, since the service may have been away, and once a day
/// by the clock of the ledger.
struct ReconcileService: Service {
    let polling: Polling
    let context: RouteContext
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var due = context.now
            while !Task.isCancelled {
                if !context.reader.isCatchingUp, context.now >= due {
                    due = context.now.advanced(byMilliseconds: ServerLimits.reconcileInterval)
                    await reconcile()
                }
                try? await Task.sleep(for: ServerLimits.pollInterval)
            }
        }
    }

    private func reconcile() async {
        do {
            guard let answer = try await polling.reconciler.reconcileSinceLast() else { return }
            logger.log(
                level: answer.lost > 0 ? .error : .info, "reconciled with Apple's notification history",
                metadata: [
                    "since": "\(answer.since.iso8601)", "until": "\(answer.until.iso8601)",
                    "matched": "\(answer.matched)", "missing": "\(answer.missing)", "lost": "\(answer.lost)",
                    "unverifiable": "\(answer.unverifiable)",
                ])
        } catch is CancellationError {
        } catch {
            logger.error("reconciling failed", metadata: ["error": "\(error)"])
        }
    }
}
