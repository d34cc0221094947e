import Logging
import NIOPosix
import ServiceLifecycle
import SubscriptionLedger

/// Frees the slots of readers that died: one dead reader keeps every page freed since its snapshot.
struct ReaderMaintenance: Service {
    let ledger: Ledger
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(ServerLimits.staleReaderSeconds))) != nil {
                do {
                    try await NIOThreadPool.singleton.runIfActive { try ledger.clearStaleReaders() }
                } catch {
                    logger.warning("stale readers were not cleared", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
