import Primitives
import SubscriptionLedger

/// The limits of the service, with their reasons.
enum ServerLimits {
    /// The maximum size of a notification. Those of version 2 are below 20 KB; those of version 1 contain a receipt and a
    /// hundred purchases.
    static let notificationBytes = 1_024 * 1_024
    /// The maximum size of a posting: 100 JWS, or a receipt with a long history.
    static let postingBytes = 8 * 1_024 * 1_024
    /// The maximum size of a posting with an app's key.
    static let appPostingBytes = 1_024 * 1_024
    /// The maximum size of a change to a customer: a handle or an id, and some JSON.
    static let customerChangeBytes = 4 * 1_024
    /// The maximum size of a handed-over YAML file: 1 MiB of rules or of a catalogue with every byte escaped, and names.
    static let yamlFileBytes = 3 * 1_024 * 1_024
    /// The maximum size of handed-over numbers: about 300,000 of them.
    static let closeBytes = 64 * 1_024 * 1_024
    /// The maximum size of a handed-over poll: an id and a bundle id.
    static let pollRequestBytes = 4 * 1_024
    /// The maximum size of an import: a million signed rows, or thirty million ids.
    static let importBytes = 4 << 30
    /// The time between two rounds of polls.
    static let pollInterval = Duration.milliseconds(200)
    /// The time between two looks at Apple's requests for consumption information, which wait for half a day.
    static let consumptionInterval = Duration.seconds(2)
    /// The time between two comparisons with Apple's notification history, in milliseconds.
    static let reconcileInterval = Instant.millisecondsPerDay
    /// The wait after a round that the storage ended.
    static let pollPause = Duration.seconds(5)
    /// The maximum size of a line of a handed-over ingest: an artifact of 8 MiB in base64, and its names.
    static let artifactLineBytes = 12 * 1_024 * 1_024
    /// The maximum wait of a call with `atLeast` for its position.
    static let positionWait = Duration.seconds(2)
    /// The maximum size of a request's fields and target together.
    static let headerBytes = 16 * 1_024
    static let headerFields = 100
    /// The time limit for receiving a request, and the idle timeout of a connection.
    static let readSeconds: Int64 = 10
    /// The time limit of the work for a request, until its response begins.
    static let workDuration = Duration.seconds(30)
    /// The maximum number of rows of a list about all subscriptions.
    static let rowsInList = 100_000
    /// The maximum number of subscribers. Each uses a connection and wakes with every commit.
    static let subscribers = 100
    static let subscriberCommentSeconds = 15
    /// The maximum wait of a page of transitions for the rows of events appended before the request.
    static let transitionSeconds: Int64 = 5
    static let pageEvents = 1_000
    static let defaultPageEvents = 100
    /// The maximum number of values in one parameter. Apple has about 30 notification types.
    static let wordsInList = 64
    /// The size at which a page of evidence ends. The event that reaches it is included.
    static let evidencePageBytes = 16 * 1_024 * 1_024
    /// The time that handlers have to finish when the service stops.
    static let shutdownSeconds: Int64 = 25
    /// The time after which a shutdown is cut short, also when handlers do not react to their cancellation. Process
    /// managers kill after 30 seconds or more.
    static let shutdownLimit = Duration.seconds(29)
    static let staleReaderSeconds: Int64 = 10
    /// The free space below which the service reports that it is not ready. Some groups of events still fit.
    static let freeBytes = 64 * 1_024 * 1_024
    /// The maximum number of open connections. Further connections wait in the kernel's queue.
    static let connections = 4_096
}
