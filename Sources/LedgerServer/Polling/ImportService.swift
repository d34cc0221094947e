import Logging
import ServiceLifecycle
import SubscriptionLedger

/// Asks Apple about the rows of imports, in the background.
struct ImportService: Service {
    let context: RouteContext
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    if !context.reader.isCatchingUp, try await context.importer.round() { continue }
                    try await Task.sleep(for: Importer.pause)
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("importing failed", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: ServerLimits.pollPause)
                }
            }
        }
    }
}
