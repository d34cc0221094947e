import Logging
import NIOPosix
import ServiceLifecycle
import SubscriptionLedger

/// Clears stale reader slots, because a dead reader prevents the reuse of every page freed since its snapshot. Also
/// logs the errors that keep derived/ from following the log, since no caller waits for it.
struct ReaderMaintenance: Service {
    let ledger: LedgerReader
    let transitions: TransitionFeed
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(ServerLimits.staleReaderSeconds))) != nil {
                do {
                    try await NIOThreadPool.singleton.runIfActive { try ledger.clearStaleReaders() }
                } catch {
                    logger.warning("clearing stale readers failed", metadata: ["error": "\(error)"])
                }
                if ledger.isCatchingUp {
                    logger.notice("decoding facts from the log", metadata: ["eventsLeft": "\(ledger.factLag)"])
                }
                if let failure = transitions.failure {
                    logger.error("updating the transitions failed", metadata: ["error": "\(failure)"])
                }
                if let failure = ledger.factFailure {
                    logger.error("updating derived/ failed", metadata: ["error": "\(failure)"])
                }
            }
        }
    }
}
