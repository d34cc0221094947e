import SubscriptionLedger

/// Every bound of the service, with its reason.
enum ServerLimits {
    /// The App Store's notifications are below 20 KB.
    static let notificationBytes = 256 * 1_024
    /// A hundred JWS, or a receipt of a long history.
    static let postingBytes = 8 * 1_024 * 1_024
    /// The same for a device.
    static let appPostingBytes = 1_024 * 1_024
    /// A handle or an id, and some JSON.
    static let customerChangeBytes = 4 * 1_024
    /// How long a call with `atLeast` waits for that position.
    static let positionWait = Duration.seconds(2)
    /// Of one request, all fields and the target together.
    static let headerBytes = 16 * 1_024
    static let headerFields = 100
    /// A request that has not arrived by then will not.
    static let readSeconds: Int64 = 10
    /// A follower costs a connection and wakes with every commit.
    static let followers = 100
    static let followerCommentSeconds = 15
    /// A page of transitions waits so long for the rows of events that were appended before it was asked for.
    static let transitionSeconds: Int64 = 5
    static let pageEvents = 1_000
    static let defaultPageEvents = 100
    /// Values of one parameter. Apple has some thirty notification types.
    static let wordsInList = 64
    /// A page of evidence ends with the event that reaches it.
    static let evidencePageBytes = 16 * 1_024 * 1_024
    /// What handlers get to end when the service stops.
    static let shutdownSeconds: Int64 = 30
    static let staleReaderSeconds: Int64 = 10
    /// Below this the service says that it is not ready: some groups of events still fit.
    static let freeBytes = 64 * 1_024 * 1_024
    /// Open connections; above, new ones wait in the kernel's queue.
    static let connections = 4_096
}
