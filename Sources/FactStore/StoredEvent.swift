import LedgerModel
import Primitives

/// The stored form of an event: `recordedAt u64 ‖ facts`, with recordedAt in big-endian milliseconds.
enum StoredEvent {
    static let timeByteCount = 8

    static func recordedAt(_ stored: RawSpan) -> Instant {
        Instant(milliseconds: Int64(bitPattern: stored.bigEndian(at: 0, as: UInt64.self)))
    }

    /// Returns the stored form of `EventFacts`; empty for an event without facts.
    @_lifetime(copy stored)
    static func facts(_ stored: RawSpan) -> RawSpan {
        stored.extracting(timeByteCount..<stored.byteCount)
    }

    /// Returns the stored form of an event, with the numbers that a store gives to its symbols.
    static func bytes(of event: IndexedEvent, _ numbering: inout SymbolNumbering) throws -> [UInt8] {
        let facts = try EventFacts.renumbered(event.facts.bytes) { try numbering.number(ofSymbolAt: $0) }
        return event.recordedAt.milliseconds.bigEndianBytes + facts
    }
}
