import ServiceLifecycle
import SubscriptionLedger

/// Wakes the subscribers when the log or the feed of transitions grows, and every 15 seconds to keep their connections
/// alive.
struct SubscriberService: Service {
    let ledger: LedgerWriter
    let transitions: TransitionFeed
    let subscribers: Subscribers

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in ledger.commits() { subscribers.wake() }
                }
                group.addTask {
                    for await _ in transitions.news() { subscribers.wake() }
                }
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(ServerLimits.subscriberCommentSeconds))) != nil {
                        subscribers.wake()
                    }
                }
            }
        }
    }
}
