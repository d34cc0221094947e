import Primitives

/// A group of requests made into records: what is new, where it will stand, and what to answer.
struct GroupPlan {
    struct NewEvent {
        let record: Record
        let prepared: PreparedEvent
        /// The record's bytes and its leaf hash, as they are stored.
        let stored: [UInt8]
    }

    private(set) var newEvents: [NewEvent] = []
    private(set) var completedHashes: [StoredHash] = []
    private(set) var answers: [[Appended]] = []
    private(set) var edge: RightEdge
    private(set) var identities: [Identity: UInt64] = [:]
    private var recordedAt: Instant

    /// - Parameters:
    ///   - edge: of the log as it is.
    ///   - recordedAt: the time of these events, not below that of the last.
    ///   - known: the position at which an identity stands in the log already.
    init(
        _ requests: [AppendRequest], after edge: RightEdge, recordedAt: Instant,
        known: (Identity) -> UInt64?
    ) {
        self.edge = edge
        self.recordedAt = recordedAt
        answers.reserveCapacity(requests.count)
        for request in requests {
            var answer: [Appended] = []
            for event in request.events { answer.append(plan(event, known)) }
            answers.append(answer)
        }
    }

    /// An event's identity decides whether it is appended; that of its UUID only whether it is told to be a duplicate.
    private mutating func plan(_ event: PreparedEvent, _ known: (Identity) -> UInt64?) -> Appended {
        let identity = event.record.identity
        let position = identities[identity] ?? known(identity)
        let first = event.repeatIdentity.flatMap { identities[$0] ?? known($0) }
        if let position {
            // A re-signed retry stands behind the first event of its UUID, which is answered each time it comes.
            return Appended(position: first ?? position, isDuplicate: true, isAppended: false)
        }
        identities[identity] = edge.size
        if let repeatIdentity = event.repeatIdentity, first == nil { identities[repeatIdentity] = edge.size }
        var record = event.record
        record.position = edge.size
        record.recordedAt = recordedAt
        if first != nil { record.flags.insert(.repeats) }
        append(record, event)
        return Appended(position: first ?? record.position, isDuplicate: first != nil, isAppended: true)
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
