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

    /// Returns the timelines of several sets of keys from the facts of events.
    /// - Parameters:
    ///   - events: the events of each set, ascending.
    ///   - count: the number of sets.
    ///   - isMember: whether a set has a key.
    package func timelines(
        at events: [SetEvent], ofSets count: Int, where isMember: (FactNode, Int) throws -> Bool
    ) throws -> [[(key: SubscriptionKey, value: Timeline)]] {
        var sets = [ObservationGroups](repeating: ObservationGroups(), count: count)
        var next = events.startIndex
        try forEachEvent(at: events.map(\.position)) { position, stored in
            let set = events[next].set
            next += 1
            let recordedAt = StoredEvent.recordedAt(stored)
            try forEachRow(of: stored, position) { row in
                guard let node = try FactHeader.key(of: row), try sets[set].find(node) || isMember(node, set) else {
                    return
                }
                try sets[set].append(row, node, symbols, position, recordedAt)
            }
        }
        return sets.map(\.timelines)
    }

    /// Returns the keys with facts in a range of events.
    package func keys(in range: Range<Position>) throws -> Set<SubscriptionKey> {
        var nodes: Set<FactNode> = []
        var keys: Set<SubscriptionKey> = []
        try forEachEvent(in: range) { position, stored in
            try forEachRow(of: stored, position) { row in
                guard let node = try FactHeader.key(of: row), nodes.insert(node).inserted else { return }
                keys.insert(try FactCodec.key(of: row, symbols))
            }
        }
        return keys
    }
}

/// An event with facts of a set of keys. Ascends by position.
package struct SetEvent: Comparable, BitwiseCopyable, Sendable {
    let position: Position
    let set: Int

    package init(position: Position, set: Int) {
        self.position = position
        self.set = set
    }

    package static func < (left: SetEvent, right: SetEvent) -> Bool { left.position < right.position }
}

extension FactSnapshot {
    /// Returns the products that transactions state, with the number of keys of each product that is counted; 0 for
    /// the others.
    /// - Complexity: O(n) for n facts.
    package func statedProducts(counting isCounted: (StatedProduct) -> Bool) throws -> [StatedProduct: Int] {
        var keys: [ProductHeader: Set<FactNode>?] = [:]
        try forEachEvent(in: 0..<size) { position, stored in
            try forEachRow(of: stored, position) { row in
                guard let header = try ProductHeader(row), let key = try FactHeader.key(of: row) else { return }
                if keys[header] == nil {
                    keys.updateValue(header.product(symbols).map(isCounted) == true ? [] : nil, forKey: header)
                }
                keys[header]??.insert(key)
            }
        }
        return keys.reduce(into: [:]) { products, entry in
            guard let product = entry.key.product(symbols) else { return }
            products[product, default: 0] += entry.value?.count ?? 0
        }
    }
}

extension FactSnapshot {
    /// Returns the facts of events about customers, ordered by position.
    package func customerFacts(in range: Range<Position>) throws -> [CustomerFact] {
        var facts: [CustomerFact] = []
        try forEachEvent(in: range) { position, stored in
            let event = try DecodedEvent(stored, symbols: symbols, position: position)
            if let fact = event.facts?.customerFact { facts.append(fact) }
        }
        return facts
    }

    /// Returns the position of the last event recorded by `instant`; nil when there is none.
    /// - Complexity: O(log n) look-ups.
    package func lastPosition(recordedBy instant: Instant) throws -> Position? {
        var (start, end) = (Position(0), size)
        while start < end {
            let middle = start + (end - start) / 2
            if try recordedAt(middle) <= instant { start = middle + 1 } else { end = middle }
        }
        return start == 0 ? nil : start - 1
    }
}

/// Observations by key. Consecutive ones mostly have the same key.
private struct ObservationGroups {
    private struct Group {
        let node: FactNode
        let key: SubscriptionKey
        var observations = ObservationLists()
    }

    /// The number of groups that are searched one by one. Most units have one or two keys.
    private static let searched = 16

    private var groups: [Group] = []
    /// The index of each group, once they are more than `searched`.
    private var indices: [FactNode: Int] = [:]
    /// The group of the newest observation.
    private var newest = 0

    /// Makes the group of a key the newest.
    /// - Returns: false when the key has no group.
    mutating func find(_ node: FactNode) -> Bool {
        if newest < groups.count, groups[newest].node == node { return true }
        let isIndexed = groups.count > Self.searched
        guard let index = isIndexed ? indices[node] : groups.firstIndex(where: { $0.node == node }) else {
            return false
        }
        newest = index
        return true
    }

    mutating func append(
        _ row: RawSpan, _ node: FactNode, _ symbols: SymbolNumbers, _ position: Position, _ recordedAt: Instant
    ) throws(FactCodecError) {
        if !find(node) {
            newest = groups.count
            groups.append(Group(node: node, key: try FactCodec.key(of: row, symbols)))
            if groups.count > Self.searched {
                for index in indices.count..<groups.count { indices[groups[index].node] = index }
            }
        }
        try FactCodec.decode(
            row, symbols: symbols, position: position, recordedAt: recordedAt, into: &groups[newest].observations)
    }

    var timelines: [(key: SubscriptionKey, value: Timeline)] {
        groups.compactMap { group in group.observations.timeline.map { (group.key, $0) } }
    }
}

extension FactSnapshot {
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

    /// - Parameter positions: ascending.
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
