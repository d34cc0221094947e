import FactStore
import LedgerModel
import LedgerStorage
import Primitives

/// The positions of the events of each unit. A unit is a set of keys that Apple accounts or migrations join; its facts
/// are folded together.
///
/// Units are found by one scan of the headers of all facts, and a counting sort of the positions.
struct UnitIndex: Sendable {
    let count: Int
    private let nodes: NodeSets
    /// The unit of each node.
    private let units: ScratchArray<UInt32>
    private let lists: PositionLists

    /// - Complexity: O(n) for n facts. Takes about 40 bytes per key or account, and 24 per event and key,
    ///   without the sets of the other threads and the growth of lists.
    init(of snapshot: FactSnapshot, _ workers: Workers, in space: ScratchSpace) throws {
        let scans = try workers.map { worker in
            try UnitScan(of: snapshot, snapshot.part(worker, of: workers.count), in: space, workers.meter)
        }
        // The other scans are merged into the sets of the first, so its ordinals stay valid.
        var merged = scans[0].nodes
        let ordinals = [nil] + (try scans.dropFirst().map { try merged.insertAll(of: $0.nodes, in: space) })
        let units = try Units(of: merged, in: space)
        lists = try PositionLists(count: units.count, in: space) { body in
            for (scan, ordinals) in zip(scans, ordinals) {
                for index in 0..<scan.references.count {
                    let reference = scan.references[index]
                    body(units.unit(of: ordinals?[Int(reference.key)] ?? reference.key), reference.position)
                }
            }
        }
        self.units = units.numbers
        count = units.count
        nodes = merged
    }

    /// Returns the timelines of the keys of each unit in a range.
    func timelines(
        of units: Range<Int>, in snapshot: FactSnapshot
    ) throws -> [[(key: SubscriptionKey, value: Timeline)]] {
        var events: [SetEvent] = []
        events.reserveCapacity(positionCount(of: units))
        for unit in units {
            let set = unit - units.lowerBound
            for position in lists.positions(of: unit) {
                let event = SetEvent(position: position, set: set)
                // An event with facts of several keys of the unit is listed for each.
                if events.last != event { events.append(event) }
            }
        }
        events.sort()
        return try snapshot.timelines(at: events, ofSets: units.count) { contains($0, in: units.lowerBound + $1) }
    }

    /// Returns the number of positions of some units.
    func positionCount(of units: Range<Int>) -> Int {
        lists.start(of: units.upperBound) - lists.start(of: units.lowerBound)
    }

    /// Whether a key belongs to a unit.
    private func contains(_ key: FactNode, in unit: Int) -> Bool {
        nodes.ordinal(of: key).map { Int(units[Int($0)]) == unit } ?? false
    }
}

/// The units of nodes, numbered in the order of the ordinals.
private struct Units {
    let count: Int
    /// The unit of each node.
    let numbers: ScratchArray<UInt32>

    init(of nodes: NodeSets, in space: ScratchSpace) throws(StorageError) {
        numbers = try space.array(count: nodes.count)
        // The unit plus 1 of each root.
        let unitsOfRoots: ScratchArray<UInt32> = try space.array(count: nodes.count)
        var count: UInt32 = 0
        for ordinal in 0..<nodes.count {
            let root = Int(nodes.root(of: UInt32(ordinal)))
            if unitsOfRoots[root] == 0 {
                count += 1
                unitsOfRoots[root] = count
            }
            numbers[ordinal] = unitsOfRoots[root] - 1
        }
        self.count = Int(count)
    }

    func unit(of ordinal: UInt32) -> Int { Int(numbers[Int(ordinal)]) }
}

/// Lists of positions, sorted by list with one counting sort.
private struct PositionLists: Sendable {
    private let positions: ScratchArray<Position>
    /// The index after the last position of each list.
    private let ends: ScratchArray<Int>

    /// - Parameter forEach: calls its argument with each list and position, twice in the same order.
    init(
        count: Int, in space: ScratchSpace, forEach: ((Int, Position) -> Void) -> Void
    ) throws(StorageError) {
        let ends: ScratchArray<Int> = try space.array(count: count)
        var total = 0
        forEach { list, _ in
            ends[list] += 1
            total += 1
        }
        // Each end first is the start of its list, and moves by one for each position.
        var start = 0
        for list in 0..<count { (ends[list], start) = (start, start + ends[list]) }
        let positions: ScratchArray<Position> = try space.array(count: total)
        forEach { list, position in
            positions[ends[list]] = position
            ends[list] += 1
        }
        (self.positions, self.ends) = (positions, ends)
    }

    func start(of list: Int) -> Int { list == 0 ? 0 : ends[list - 1] }

    func positions(of list: Int) -> some Sequence<Position> {
        (start(of: list)..<ends[list]).lazy.map { positions[$0] }
    }
}

extension FactSnapshot {
    /// Returns the positions of one of several equal parts.
    fileprivate func part(_ index: Int, of count: Int) -> Range<Position> {
        size * UInt64(index) / UInt64(count)..<size * UInt64(index + 1) / UInt64(count)
    }
}
