import Logging
import ServiceLifecycle
import SubscriptionLedger

/// Answers Apple's requests for consumption information.
struct ConsumptionService: Service {
    let answers: ConsumptionAnswers
    let context: RouteContext
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: ServerLimits.consumptionInterval)) != nil {
                guard !context.reader.isCatchingUp else { continue }
                do {
                    _ = try await answers.round()
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("answering requests for consumption failed", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: ServerLimits.pollPause)
                }
            }
        }
    }
}
