import EventLog
package import LedgerAPI
package import LedgerModel
package import Primitives
import TransparencyLog

/// An event with its place in the hash tree.
package struct LoggedEvent: Sendable {
    package let row: EventRow
    /// The number of the kind in records.
    package let kind: UInt8
    package let flags: UInt16
    /// The notificationUUID of a notification, in lower case; nil for other events.
    package let notificationUUID: String?
    /// The app that the event is about; nil when it does not state one.
    package let bundleId: String?
    /// The hash of the record as a leaf of the tree.
    package let leafHash: Digest

    init(_ record: Record, evidence: EventEvidence) throws {
        let content = try EventContent(record, evidence: evidence)
        row = EventRow(record, evidence, about: EventRow.About(content))
        kind = record.kind.rawValue
        flags = record.flags.rawValue
        notificationUUID = content.notificationUUID
        bundleId = content.bundleId
        leafHash = MerkleTree.leafHash(of: record.bytes)
    }
}

extension LedgerReader {
    /// Calls `body` with the events at some positions, in order.
    /// - Throws: `log_corrupt` at the first event that cannot be read; the errors of `body`.
    package func forEachEvent(in range: Range<Position>, _ body: (LoggedEvent) throws -> Void) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            // Short snapshots do not keep the pages that a writer frees.
            position = try log.forEach(from: position, below: range.upperBound) { record, evidence in
                try body(try LoggedEvent(record, evidence: evidence))
            }
        }
    }
}
