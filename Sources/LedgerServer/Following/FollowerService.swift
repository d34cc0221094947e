import EventLog
import ServiceLifecycle

/// Wakes the followers when the log grows, and every 15 seconds so that their connections stay alive.
struct FollowerService: Service {
    let log: EventLog
    let followers: Followers

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in log.heads() { followers.wake() }
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
