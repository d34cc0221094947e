import EventLog
package import LedgerModel
import LedgerStorage
package import Primitives

/// The facts of the first events of a log, read in bulk. Several threads may read at the same time.
package struct FactSnapshot: Sendable {
    /// The number of events.
    package let size: Position
    private let database: FactDatabase?
    private let storedSize: Position
    /// The stored form of the events that are not in the database.
    private let pending: [[UInt8]]
    /// The symbols by the numbers that rows contain.
    private let symbols: SymbolNumbers

    init(_ database: FactDatabase?, pending events: [IndexedEvent], below limit: Position) throws {
        var (storedSize, numbering) = try database?.contents() ?? (0, SymbolNumbering())
        pending = try events.drop { $0.position < storedSize }.prefix { $0.position < limit }
            .map { try StoredEvent.bytes(of: $0, &numbering) }
        storedSize = min(storedSize, limit)
        self.database = database
        self.storedSize = storedSize
        symbols = SymbolNumbers(numbering.symbols)
        size = storedSize + UInt64(pending.count)
    }

    /// Returns the time at which the ledger recorded an event of the snapshot.
    package func recordedAt(_ position: Position) throws -> Instant {
        var recordedAt = Instant.earliest
        try forEachEvent(at: [position]) { recordedAt = StoredEvent.recordedAt($1) }
        return recordedAt
    }

    /// Calls `body` with the header of every fact about a subscription, ordered by position.
    ///
    /// The nodes of headers are comparable with those of the same snapshot.
    package func forEachHeader(
        in range: Range<Position>, _ body: (Position, _ key: FactNode, FactHeader) throws -> Void
    ) throws {
        try forEachEvent(in: range) { position, stored in
            try forEachRow(of: stored, position) { row in
                let header = try FactHeader(row)
                if let key = header.key { try body(position, key, header) }
            }
        }
    }

    /// Calls `body` with the observations of events, in the order of the positions.
    /// - Parameters:
    ///   - positions: ascending.
    ///   - isWanted: selects keys. It is not asked about the only key of an event, whose observations are all wanted.
    package func forEachObservation(
        at positions: [Position], where isWanted: (FactNode) throws -> Bool,
        _ body: (KeyedObservation) throws -> Void
    ) throws {
        try forEachEvent(at: positions) { position, stored in
            let recordedAt = StoredEvent.recordedAt(stored)
            let hasOneKey = try hasOneKey(stored, position)
            try forEachRow(of: stored, position) { row in
                if !hasOneKey {
                    guard let key = try FactHeader.key(of: row), try isWanted(key) else { return }
                }
                try body(FactCodec.decode(row, symbols: symbols, position: position, recordedAt: recordedAt))
            }
        }
    }
}

extension FactSnapshot {
    private func hasOneKey(_ stored: RawSpan, _ position: Position) throws -> Bool {
        var (first, hasOne): (FactNode?, Bool) = (nil, true)
        try forEachRow(of: stored, position) { row in
            let key = try FactHeader.key(of: row)
            hasOne = hasOne && key != nil && (first ?? key) == key
            first = first ?? key
        }
        return hasOne
    }

    private func forEachRow(
        of stored: RawSpan, _ position: Position, _ body: (RawSpan) throws -> Void
    ) throws {
        do {
            try EventFacts.forEachRow(in: StoredEvent.facts(stored), body)
        } catch is FactCodecError {
            throw StorageError.derivedDamaged("the facts at position \(position)")
        }
    }

    /// Calls `body` with the stored form of each event with facts, ascending.
    package func forEachEvent(in range: Range<Position>, _ body: (Position, RawSpan) throws -> Void) throws {
        let stored = range.clamped(to: 0..<storedSize)
        if !stored.isEmpty { try database?.forEachEvent(in: stored, body) }
        for position in range.clamped(to: storedSize..<size) {
            let bytes = pending[Int(position - storedSize)]
            if bytes.count > StoredEvent.timeByteCount { try body(position, bytes.span.bytes) }
        }
    }

    private func forEachEvent(
        at positions: [Position], _ body: (Position, RawSpan) throws -> Void
    ) throws {
        let stored = positions.prefix { $0 < storedSize }
        if !stored.isEmpty { try database?.forEachEvent(at: stored, body) }
        for position in positions[stored.endIndex...] {
            let bytes = pending[Int(position - storedSize)]
            try body(position, bytes.span.bytes)
        }
    }
}

extension FactIndex {
    /// Returns the facts of the first events, both stored and pending ones.
    /// - Parameter size: the number of events; at most `size` of the index.
    package func snapshot(knownAt size: Position = .max) throws -> FactSnapshot {
        // Pending events are read first: events that leave memory in the meantime are already stored.
        let events = pendingEvents
        return try FactSnapshot(try currentDatabase(), pending: events, below: size)
    }
}
