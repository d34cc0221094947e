import LedgerModel
import Primitives
import StateTables
import TableFiles

/// The fold of a stream of frames: of a segment, into rows and parts of sums; or of sums, into rows. It holds the facts of
/// one unit at a time.
///
/// Rows come in any order. The last frames are a tally for each table whose rows the stream may have.
package struct SegmentFold {
    private let inputs: FoldInputs
    private let digest: Digest
    private let fold: StateFold
    private let rows: StateRows
    private let output: FoldOutput
    private var part: StateFold.Part
    private var stage = Stage.start
    private var unit = UnitCollector()

    private enum Stage {
        case start
        case facts
        case sums(last: (table: UInt8, key: [UInt8])?)
    }

    /// - Parameters:
    ///   - inputs: the bytes of `inputs.json`.
    ///   - write: takes the bytes of the answer.
    /// - Throws: `SegmentError`.
    package init(inputs bytes: [UInt8], write: @escaping ([UInt8]) throws -> Void) throws {
        digest = .sha256(of: bytes)
        inputs = try FoldInputs(bytes)
        let output = FoldOutput(inputs, write)
        self.output = output
        fold = StateFold(inputs.tables, [.current: try inputs.question()])
        rows = StateRows(inputs.tables) { table, _, row in try output.add(row, of: table) }
        part = fold.part(rows)
    }

    /// Adds the next frame.
    /// - Throws: `SegmentError`; the errors of `write`.
    package mutating func add(_ frame: Frame) throws {
        switch stage {
        case .start where frame.kind == .sum:
            stage = .sums(last: nil)
            try add(sum: frame, after: nil)
        case .start:
            try begin(SegmentHeader(frame))
        case .facts:
            let fact = try SegmentFact(frame)
            if let facts = try unit.add(fact) { try part.add(facts) }
        case .sums(let last):
            try add(sum: frame, after: last)
        }
    }

    private mutating func begin(_ header: SegmentHeader) throws(SegmentError) {
        guard header.inputs == digest else {
            throw SegmentError(
                .inputsInvalid, "the segment belongs to other inputs", expected: header.inputs.hex, found: digest.hex)
        }
        stage = .facts
    }

    private mutating func add(sum frame: Frame, after last: (table: UInt8, key: [UInt8])?) throws(SegmentError) {
        guard frame.kind == .sum else {
            throw .corrupt("a frame is out of place", expected: "a sum", found: "a frame of kind \(frame.kind)")
        }
        var reader = BodyReader(frame.body)
        let (table, key) = (try reader.integer(as: UInt8.self), Array(try reader.counted()))
        var numbers: [Int64] = []
        while !reader.isAtEnd { numbers.append(try reader.integer(as: Int64.self)) }
        if let last {
            guard last.table < table || (last.table == table && last.key.lexicographicallyPrecedes(key)) else {
                throw .corrupt("sums do not ascend", expected: "each key once, ordered", found: "another order")
            }
        }
        guard part.add(SumPart(key: key, numbers: numbers), to: Int(table)) else {
            throw .corrupt("a sum is of no table", expected: "the sum of a fold", found: "another key or other numbers")
        }
        stage = .sums(last: (table, key))
    }

    /// Writes what is left after the last frame.
    /// - Throws: `SegmentError`; the errors of `write`.
    package mutating func finish() throws {
        switch stage {
        case .start: break
        case .facts:
            if let facts = unit.finish() { try part.add(facts) }
            try fold.forEachSum(of: part) { try output.add($1, of: $0) }
        case .sums: try fold.addRows(ofSums: [part.sums], to: rows)
        }
        try output.finish(lossy: rows.lossy)
    }
}

/// Collects the facts of a unit, which follow each other.
private struct UnitCollector {
    private var place: (subject: UInt128, unit: UInt128)?
    private var timelines: [SubscriptionKey: ObservationLists] = [:]
    private var events: [CustomerHistory.Event] = []

    /// Adds a fact.
    /// - Returns: the unit before, if the fact begins another.
    mutating func add(_ fact: SegmentFact) throws(SegmentError) -> UnitFacts? {
        var finished: UnitFacts?
        let next = (fact.subject, fact.unit)
        if let place, place != next {
            guard place < next else {
                throw .corrupt("units do not ascend", expected: "each unit once, ordered", found: "another order")
            }
            finished = finish()
        }
        place = next
        switch fact.content {
        case .observation(let key, let observation): timelines[key, default: ObservationLists()].append(observation)
        case .customerEvent(let event, let recordedAt):
            events.append(CustomerHistory.Event(event, recordedAt: recordedAt))
        }
        return finished
    }

    /// Returns the unit, and begins another; nil without a fact.
    mutating func finish() -> UnitFacts? {
        defer { (timelines, events) = ([:], []) }
        let timelines = timelines.compactMapValues(\.timeline)
        return timelines.isEmpty ? nil : UnitFacts(timelines: timelines, customers: CustomerHistory(events))
    }
}
