import EventLog
import ServiceLifecycle
import SubscriptionLedger

/// Wakes the followers when the log or the feed of transitions grows, and every 15 seconds so that their connections
/// stay alive.
struct FollowerService: Service {
    let log: EventLog
    let transitions: TransitionFeed
    let followers: Followers

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in log.heads() { followers.wake() }
                }
                group.addTask {
                    for await _ in transitions.news() { followers.wake() }
                }
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(ServerLimits.followerCommentSeconds))) != nil {
                        followers.wake()
                    }
                }
            }
        }
    }
}
