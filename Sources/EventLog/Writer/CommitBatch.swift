import Primitives
import TransparencyLog

/// The records of a group of requests, with the answer to each.
struct CommitBatch {
    struct NewEvent {
        let record: Record
        let prepared: PreparedEvent
        /// The record's bytes and its leaf hash, as stored.
        let stored: [UInt8]

        var committed: CommittedEvent {
            CommittedEvent(
                position: record.position, recordedAt: record.recordedAt, attachment: prepared.attachment)
        }
    }

    private(set) var newEvents: [NewEvent] = []
    private(set) var completedHashes: [StoredHash] = []
    private(set) var answers: [[AppendResult]] = []
    /// The edge of the tree with the new events.
    private(set) var edge: CompactRange
    /// The keys of the new events, with their first positions.
    private(set) var newKeys: [IdempotencyKey: UInt64] = [:]
    let recordedAt: Instant

    /// - Parameters:
    ///   - edge: the current edge of the tree.
    ///   - recordedAt: the time of these events, not before that of the last event.
    ///   - known: the first positions of those keys of the requests that are in the log.
    init(
        _ requests: [AppendRequest], after edge: CompactRange, recordedAt: Instant, known: [IdempotencyKey: UInt64]
    ) {
        self.edge = edge
        self.recordedAt = recordedAt
        answers.reserveCapacity(requests.count)
        for request in requests {
            var answer: [AppendResult] = []
            for event in request.events { answer.append(add(event, known)) }
            answers.append(answer)
        }
    }

    /// The idempotency key decides whether an event is appended, the notification key only whether it is a duplicate.
    private mutating func add(_ event: PreparedEvent, _ known: [IdempotencyKey: UInt64]) -> AppendResult {
        let key = event.record.idempotencyKey
        let position = known[key] ?? newKeys[key]
        let first = event.notificationKey.flatMap { known[$0] ?? newKeys[$0] }
        if let position {
            // A re-signed copy follows the first event of its UUID. Every answer has the position of that event.
            return AppendResult(position: first ?? position, isDuplicate: true, isAppended: false)
        }
        newKeys[key] = edge.size
        if let notificationKey = event.notificationKey, first == nil { newKeys[notificationKey] = edge.size }
        var record = event.record
        record.position = edge.size
        record.recordedAt = recordedAt
        if first != nil { record.flags.insert(.repeats) }
        append(record, event)
        return AppendResult(position: first ?? record.position, isDuplicate: first != nil, isAppended: true)
    }

    private mutating func append(_ record: Record, _ event: PreparedEvent) {
        var stored: [UInt8] = []
        stored.reserveCapacity(record.byteCount + Digest.byteCount)
        record.append(to: &stored)
        let leafHash = MerkleTree.leafHash(of: stored.span.bytes)
        stored.append(leafHash)
        edge.append(leafHash, completed: &completedHashes)
        newEvents.append(NewEvent(record: record, prepared: event, stored: stored))
    }

    var head: TreeHead { TreeHead(size: edge.size, root: edge.root) }
}
