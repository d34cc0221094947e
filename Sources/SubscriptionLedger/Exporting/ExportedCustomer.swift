import EventLog
import Ingestion
package import LedgerModel
package import Primitives
import ProjectionRuntime

/// A customer, as the events of the log know it.
package struct ExportedCustomer: Sendable {
    package let handle: CustomerHandle
    /// Whether no caller with an id of its own, and no token, named the customer.
    package fileprivate(set) var isAnonymous = true
    /// The time at which the first event about the customer was recorded.
    package let firstSeenAt: Instant
    /// The position of that event.
    package let firstPosition: Position
    /// The customer into which this one is merged; nil for none.
    package fileprivate(set) var mergedInto: CustomerHandle?
}

extension ExportedCustomer {
    /// - Parameter first: the first mention of the customer.
    fileprivate init(_ first: Mention) {
        self.init(handle: first.handle, firstSeenAt: first.recordedAt, firstPosition: first.position)
    }
}

extension LedgerReader {
    /// Memory for sorting, in bytes.
    private static let customerMemory = 64 << 20

    /// Calls `body` with the customers of the first `size` events that were recorded by an instant, in order of their
    /// handles.
    /// - Parameters:
    ///   - folder: an existing folder for temporary files, whose names begin with `customers-`.
    /// - Throws: the reason to stop the work; `StorageError`; the errors of `body`.
    /// - Complexity: O(n) for n events. The merges are held in memory.
    package func forEachCustomer(
        knownAt size: Position, asOf: Instant, in folder: String, _ body: (ExportedCustomer) throws -> Void
    ) throws {
        var directory = CustomerDirectory()
        var sorter = RecordSorter(limit: Self.customerMemory, pathPrefix: folder + "/customers", fileLimit: 64)
        try log.forEachRecord { record in
            guard record.position < size, record.recordedAt <= asOf, let fact = CustomerEvents.fact(in: record) else {
                return
            }
            try WorkLimit.check()
            if case .directory(let change) = fact { directory.add(change) }
            for mention in fact.mentions {
                try sorter.append {
                    $0 += mention.handle.bytes + record.position.bigEndianBytes
                } body: {
                    $0 += record.recordedAt.milliseconds.bigEndianBytes + [mention.isKnown ? 1 : 0]
                }
            }
        }
        var open: ExportedCustomer?
        try SortedRuns.merge([sorter.finish()]) { entry in
            guard let mention = Mention(entry) else { return }
            if let customer = open, customer.handle != mention.handle {
                try body(customer)
                open = nil
            }
            var customer = open ?? ExportedCustomer(mention)
            if mention.isKnown { customer.isAnonymous = false }
            customer.mergedInto = directory.merges(from: mention.handle).first?.into
            open = customer
        }
        if let open { try body(open) }
    }
}

/// A stored mention of a customer.
private struct Mention {
    let handle: CustomerHandle
    let position: Position
    let recordedAt: Instant
    let isKnown: Bool

    init?(_ record: StoredRecord) {
        var (position, body) = (record.key.dropFirst(CustomerHandle.byteCount), record.body)
        guard let handle = CustomerHandle(bytes: record.key.prefix(CustomerHandle.byteCount)),
            let position = Position(taking: &position), let recordedAt = Int64(taking: &body)
        else { return nil }
        (self.handle, self.position, isKnown) = (handle, position, body.first == 1)
        self.recordedAt = Instant(milliseconds: recordedAt)
    }
}

extension CustomerFact {
    /// The customers that the event is about, and whether it shows that they are not anonymous.
    fileprivate var mentions: [(handle: CustomerHandle, isKnown: Bool)] {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): [(claim.customer, claim.by > .anonymous)]
        case .download(let claim): [(claim.customer, claim.by > .anonymous)]
        case .transfer(let transfer): [(transfer.customer, true)]
        case .directory(let change): [(change.customer, false), (change.into, true)]
        case .token(let mapping): [(mapping.customer, true)]
        case .grant(let grant): [(grant.customer, true)]
        case .consent(let consent): [(consent.customer, true)]
        }
    }
}
