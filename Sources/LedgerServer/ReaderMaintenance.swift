import Logging
import NIOPosix
import ProjectionRuntime
import ServiceLifecycle
import SubscriptionLedger

/// Frees the slots of readers that died: one dead reader keeps every page freed since its snapshot. And tells what
/// keeps derived/ from following the log, which nobody waits for.
struct ReaderMaintenance: Service {
    let ledger: Ledger
    let transitions: TransitionFeed
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(ServerLimits.staleReaderSeconds))) != nil {
                do {
                    try await NIOThreadPool.singleton.runIfActive { try ledger.clearStaleReaders() }
                } catch {
                    logger.warning("stale readers were not cleared", metadata: ["error": "\(error)"])
                }
                if let failure = transitions.failure {
                    logger.error("the feed of transitions does not follow the log", metadata: ["error": "\(failure)"])
                }
                if let failure = ledger.derived.failure {
                    logger.error("derived/ does not follow the log", metadata: ["error": "\(failure)"])
                }
            }
        }
    }
}
