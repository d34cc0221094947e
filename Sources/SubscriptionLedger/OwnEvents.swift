import EventLog
import FactStore
import LedgerModel
import LedgerStorage
import Synchronization

/// The ledger's own events under one index term, such as the activations of rules. Each is decoded once.
final class OwnEvents<Event: Sendable>: Sendable {
    private let term: IndexTerm
    private let log: LogReader
    private let facts: FactIndex
    private let decode: @Sendable (Record, LogReader) throws -> Event?
    private let known = Mutex<Known?>(nil)

    private struct Known {
        /// The number of events that were searched.
        let size: Position
        /// Ascending.
        let positions: [Position]
        /// The events that were read.
        var events: [Position: Event] = [:]
    }

    /// - Parameter decode: returns nil for an event of another kind.
    init(
        _ term: IndexTerm, _ log: LogReader, _ facts: FactIndex,
        decode: @escaping @Sendable (Record, LogReader) throws -> Event?
    ) {
        (self.term, self.log, self.facts, self.decode) = (term, log, facts, decode)
    }

    /// Returns the newest of the first `size` events of the log that has the term; nil when there is none.
    func newest(knownAt size: Position) throws -> Event? {
        let current = try current()
        return try current.positions.last { $0 < size }.map { try event(at: $0, current) }
    }

    /// Returns those of the first `size` events of the log that have the term, oldest first.
    func all(knownAt size: Position) throws -> [Event] {
        let current = try current()
        return try current.positions.prefix { $0 < size }.map { try event(at: $0, current) }
    }

    /// Returns the positions between two log sizes, ascending.
    func positions(in sizes: Range<Position>) throws -> [Position] {
        try current().positions.filter { sizes.contains($0) }
    }

    func contains(_ position: Position) throws -> Bool { try current().positions.contains(position) }

    /// The newest position at any log size; nil when there is none.
    func newestPosition() throws -> Position? { try current().positions.last }

    private func event(at position: Position, _ current: Known) throws -> Event {
        if let event = current.events[position] { return event }
        guard let record = try log.record(at: position), let event = try decode(record, log) else {
            throw StorageError(.logCorrupt, "event at position \(position) is of another kind than its index entry")
        }
        known.withLock { $0?.events[position] = event }
        return event
    }

    private func current() throws -> Known {
        if let known = known.withLock({ $0 }), facts.isUnchanged([term], since: known.size) { return known }
        // Read before the look-up, so that an event appended meanwhile is looked up again.
        let size = facts.size
        let positions = try facts.positions(under: term)
        return known.withLock { known in
            let found = Known(size: size, positions: positions, events: known?.events ?? [:])
            known = found
            return found
        }
    }
}
