import LedgerModel
import LedgerStorage
import Primitives

/// An event of the database or of memory with its decoded facts.
struct DecodedEvent: Sendable {
    let position: UInt64
    let recordedAt: Instant
    /// Nil for an event without facts.
    let facts: EventFacts?

    /// - Throws: `log_corrupt` when the facts are damaged.
    init(_ event: IndexedEvent) throws {
        try self.init(event.facts.bytes.span.bytes, .process, position: event.position, recordedAt: event.recordedAt)
    }

    /// - Parameters:
    ///   - stored: the value of the database.
    ///   - symbols: the numbers that it holds.
    /// - Throws: `log_corrupt` when the value is damaged.
    init(_ stored: RawSpan, symbols: SymbolNumbers, position: UInt64) throws {
        guard stored.byteCount >= StoredEvent.timeByteCount else {
            throw StorageError.derivedDamaged("the facts at position \(position)")
        }
        try self.init(
            StoredEvent.facts(stored), symbols, position: position, recordedAt: StoredEvent.recordedAt(stored))
    }

    private init(_ bytes: RawSpan, _ symbols: SymbolNumbers, position: UInt64, recordedAt: Instant) throws {
        self.position = position
        self.recordedAt = recordedAt
        guard bytes.byteCount > 0 else {
            facts = nil
            return
        }
        facts = EventFacts(bytes, symbols: symbols, position: position, recordedAt: recordedAt)
        if facts == nil { throw StorageError.derivedDamaged("the facts at position \(position)") }
    }
}
