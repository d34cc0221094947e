import HashIndex

/// The keys of recent events that are not yet stored.
struct PendingKeys {
    /// The range of events whose keys are pending.
    private(set) var start: UInt64
    private(set) var end: UInt64
    private var positions: [IdempotencyKey: UInt64] = [:]
    /// The entries in the order of their batches; those before `removed` are stored.
    private var entries: [IndexEntry] = []
    private var removed = 0

    init(from size: UInt64) {
        start = size
        end = size
    }

    func positions(of keys: [IdempotencyKey]) -> [IdempotencyKey: UInt64] {
        var found: [IdempotencyKey: UInt64] = [:]
        for key in keys { found[key] = positions[key] }
        return found
    }

    /// Adds the keys of the events below `size`. Pending keys keep their first positions.
    mutating func add(_ keys: [IdempotencyKey: UInt64], size: UInt64) {
        guard size > end else { return }
        for (key, position) in keys.sorted(by: { $0.value < $1.value }) where position >= end {
            entries.append(IndexEntry(key: key.value, position: position))
            if positions[key] == nil { positions[key] = position }
        }
        end = size
    }

    /// Returns the entries of at most `count` events, and the number of events in the log up to there.
    func prefix(_ count: Int) -> (entries: [IndexEntry], size: UInt64) {
        let size = min(end, start + UInt64(count))
        return (Array(entries[removed...].prefix { $0.position < size }), size)
    }

    mutating func remove(below size: UInt64) {
        while removed < entries.count, entries[removed].position < size {
            let key = IdempotencyKey(entries[removed].key)
            if positions[key] == entries[removed].position { positions[key] = nil }
            removed += 1
        }
        start = max(start, size)
        if removed > 65_536, removed > entries.count / 2 {
            entries.removeFirst(removed)
            removed = 0
        }
    }
}
