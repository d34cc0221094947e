package import FactStore
package import LedgerModel
import LedgerStorage
package import Primitives
import Synchronization

/// Folds all facts unit by unit, on several threads and with bounded memory.
package struct UnitFold: Sendable {
    /// The number of files that the merge of all sorters reads at the same time.
    private static let fileLimit = 256

    let facts: FactIndex
    /// The facts that are folded.
    package let snapshot: FactSnapshot
    /// The time at which the last event was recorded.
    package let asOf: Instant
    let options: RebuildOptions
    let meter: RebuildMeter
    private let mappings: CustomerMappings

    /// - Parameter size: the number of events that are folded, if there are more.
    /// - Throws: `StorageError`.
    package init(
        of facts: FactIndex, knownAt size: Position = .max, options: RebuildOptions = RebuildOptions()
    ) throws {
        self.facts = facts
        snapshot = try facts.snapshot(knownAt: size)
        asOf = snapshot.size == 0 ? .earliest : try snapshot.recordedAt(snapshot.size - 1)
        mappings = CustomerMappings(in: facts, knownAt: snapshot.size)
        self.options = options
        meter = RebuildMeter(options.report)
    }

    /// Calls `add` for each unit.
    /// - Parameters:
    ///   - folder: an existing folder for temporary files.
    ///   - readsCustomers: whether units have the events about customers.
    ///   - initial: returns the initial sum of a thread.
    ///   - add: adds a unit to the sum of a thread.
    ///   - finish: called on each thread at its end.
    /// - Returns: the result of each thread.
    package func callAsFunction<Sum, Result: Sendable>(
        in folder: String, readsCustomers: Bool,
        _ initial: @escaping @Sendable (_ worker: Int) -> Sum,
        add: @escaping @Sendable (inout Sum, UnitFacts) throws -> Void,
        finish: @escaping @Sendable (inout Sum) throws -> Result
    ) throws -> [Result] {
        let workers = Workers(count: options.workers, meter: meter)
        let space = ScratchSpace(limit: options.memory / 2, folder: folder)
        meter.begin(.reading, total: snapshot.size)
        let index = try UnitIndex(of: snapshot, workers, in: space)
        meter.begin(.folding, total: UInt64(index.positionCount(of: 0..<index.count)))
        let units = UnitQueue(index)
        return try workers.map { worker in
            var sum = initial(worker)
            while !workers.hasFailed, let batch = units.next() {
                for timelines in try index.timelines(of: batch, in: snapshot) {
                    try add(&sum, try unitFacts(timelines, readsCustomers))
                }
                meter.add(units.positionCount(of: batch))
            }
            return try finish(&sum)
        }
    }

    private func unitFacts(
        _ timelines: [(key: SubscriptionKey, value: Timeline)], _ readsCustomers: Bool
    ) throws -> UnitFacts {
        let timelines = Dictionary(uniqueKeysWithValues: timelines)
        guard readsCustomers else { return UnitFacts(timelines: timelines) }
        return UnitFacts(
            timelines: timelines,
            customers: try facts.customerHistory(of: timelines, knownAt: snapshot.size, with: mappings))
    }

    /// Returns the facts of the units that a key may be joined with.
    func unitFacts(around key: SubscriptionKey, readsCustomers: Bool) throws -> UnitFacts {
        guard readsCustomers else {
            return UnitFacts(timelines: try facts.timelines(around: key, knownAt: snapshot.size))
        }
        return try facts.unitFacts(around: [key], knownAt: snapshot.size, with: mappings)
    }

    /// Returns a sorter for the records of a thread. It takes half of the memory, together with all other sorters; the
    /// other half is for the index of units.
    /// - Parameter count: the number of sorters of each thread.
    package func sorter(_ worker: Int, in folder: String, of count: Int = 1) -> RecordSorter {
        RecordSorter(
            limit: options.memory / 2 / options.workers / count, pathPrefix: "\(folder)/run-\(worker)",
            fileLimit: max(2, Self.fileLimit / options.workers))
    }
}

/// Distributes the units among threads.
private final class UnitQueue: Sendable {
    /// Small, so that the facts of a batch stay in the caches, and the allocator keeps their memory.
    private static let batch = 32

    private let index: UnitIndex
    private let start = Atomic(0)

    init(_ index: UnitIndex) {
        self.index = index
    }

    func next() -> Range<Int>? {
        let end = start.add(Self.batch, ordering: .relaxed).newValue
        let units = (end - Self.batch..<end).clamped(to: 0..<index.count)
        return units.isEmpty ? nil : units
    }

    func positionCount(of units: Range<Int>) -> UInt64 {
        UInt64(index.positionCount(of: units))
    }
}
