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
    /// The time at which the customer was erased; nil for one that was not.
    package fileprivate(set) var erasedAt: Instant?
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
            guard record.position < size, record.recordedAt <= asOf, let fact = try customerFact(in: record) else {
                return
            }
            try WorkLimit.check()
            if case .directory(let change) = fact { directory.add(change) }
            for mention in fact.mentions {
                try sorter.append {
                    $0 += mention.handle.bytes + record.position.bigEndianBytes
                } body: {
                    $0 += record.recordedAt.milliseconds.bigEndianBytes + [mention.kind.rawValue]
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
            if mention.kind == .known { customer.isAnonymous = false }
            if mention.kind == .erased { customer.erasedAt = customer.erasedAt ?? mention.recordedAt }
            customer.mergedInto = directory.merges(from: mention.handle).first?.into
            open = customer
        }
        if let open { try body(open) }
    }
}

extension LedgerReader {
    private func customerFact(in record: Record) throws -> CustomerFact? {
        if let erasure = ErasureEvents.fact(in: record) { return erasure }
        let evidence = record.kind == .tokenMapped ? try log.evidence(at: record.position) ?? [] : []
        return CustomerEvents.fact(in: record, evidence)
    }
}

/// A stored mention of a customer.
private struct Mention {
    let handle: CustomerHandle
    let position: Position
    let recordedAt: Instant
    let kind: Kind

    enum Kind: UInt8 {
        case anonymous
        /// The event shows that the customer is not anonymous.
        case known
        case erased
    }

    init?(_ record: StoredRecord) {
        var (position, body) = (record.key.dropFirst(CustomerHandle.byteCount), record.body)
        guard let handle = CustomerHandle(bytes: record.key.prefix(CustomerHandle.byteCount)),
            let position = Position(taking: &position), let recordedAt = Int64(taking: &body),
            let kind = body.first.flatMap(Kind.init)
        else { return nil }
        (self.handle, self.position, self.kind) = (handle, position, kind)
        self.recordedAt = Instant(milliseconds: recordedAt)
    }
}

extension CustomerFact {
    /// The customers that the event is about.
    fileprivate var mentions: [(handle: CustomerHandle, kind: Mention.Kind)] {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): [(claim.customer, Mention.Kind(claim.by))]
        case .download(let claim): [(claim.customer, Mention.Kind(claim.by))]
        case .transfer(let transfer): [(transfer.customer, .known)]
        case .directory(.erasure(let erasure)): [(erasure.customer, .erased)]
        case .directory(let change): [(change.customer, .anonymous), (change.into, .known)]
        case .token(let mapping): [(mapping.customer, .known)]
        case .grant(let grant): [(grant.customer, .known)]
        case .consent(let consent): [(consent.customer, .known)]
        }
    }
}

extension Mention.Kind {
    fileprivate init(_ authority: Claim.Authority) { self = authority > .anonymous ? .known : .anonymous }
}
