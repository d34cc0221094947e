import FactSegments
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import Primitives
import StateTables
import TableFiles
import Testing

@Suite struct `Segments of facts` {
    /// The answer to a stream of frames.
    private struct Answer {
        var rows: [UInt8: [[UInt8]: [UInt8]]] = [:]
        var sums: [UInt8: [[UInt8]: [Int64]]] = [:]
        var tallies: [String: Int64] = [:]

        mutating func add(_ stream: [UInt8]) throws {
            var reader = FrameReader()
            reader.append(stream)
            while let frame = try reader.read() { try add(frame) }
            try reader.finish()
        }

        private mutating func add(_ frame: Frame) throws {
            if frame.kind == .tally {
                let tally = try JSONDocument(parsing: Array(frame.body)).root
                tallies[tally["name"]?.string ?? "", default: 0] += tally["rows"]?.integer ?? 0
                return
            }
            let table = try #require(frame.body.first)
            let rest = Array(frame.body.dropFirst())
            let length = Int(rest.span.bytes.littleEndian(at: 0, as: UInt32.self))
            let (key, value) = (Array(rest[4..<4 + length]), Array(rest[(4 + length)...]))
            if frame.kind == .row {
                #expect(rows[table, default: [:]].updateValue(value, forKey: key) == nil, "a row occurs twice")
            } else {
                let numbers = stride(from: 0, to: value.count, by: 8).map {
                    value.span.bytes.littleEndian(at: $0, as: Int64.self)
                }
                let known = sums[table]?[key] ?? numbers.map { _ in 0 }
                sums[table, default: [:]][key] = zip(known, numbers).map(+)
            }
        }

        /// The frames of the sums, as an engine orders them.
        var stream: [UInt8] {
            var writer = FrameWriter()
            for (table, parts) in sums.sorted(by: { $0.key < $1.key }) {
                for (key, numbers) in parts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                    writer.append(.sum) { bytes in
                        bytes.append(table)
                        bytes.appendLittleEndian(UInt32(key.count))
                        bytes += key
                        for number in numbers { bytes.appendLittleEndian(number) }
                    }
                }
            }
            writer.finish()
            return writer.take()
        }
    }

    private static func answer(to stream: [UInt8], _ inputs: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        var fold = try SegmentFold(inputs: inputs) { output += $0 }
        var reader = FrameReader()
        reader.append(stream)
        while let frame = try reader.read() { try fold.add(frame) }
        try reader.finish()
        try fold.finish()
        return output
    }

    /// Returns the rows of all segments and of their sums.
    private static func fold(_ segments: [[UInt8]], _ inputs: [UInt8]) throws -> Answer {
        var answer = Answer()
        for segment in segments { try answer.add(Self.answer(to: segment, inputs)) }
        let sums = answer.stream
        answer.sums = [:]
        try answer.add(Self.answer(to: sums, inputs))
        return answer
    }

    /// Returns the rows of a fold of all units at once.
    private static func direct(_ simulated: SimulatedUnits) throws -> [UInt8: [[UInt8]: [UInt8]]] {
        var found: [UInt8: [[UInt8]: [UInt8]]] = [:]
        let inputs = simulated.inputs
        let question = try ExportQuestion(
            inputs.context, asOf: inputs.asOf, in: nil, zone: TimeZoneDatabase.table(named:))
        let rows = StateRows(inputs.tables) { table, _, row in
            var key: [UInt8] = []
            row.encodeKey(into: &key)
            found[UInt8(table), default: [:]][key] = line(row, inputs.tables[table].schema.ofFiles)
        }
        let fold = StateFold(inputs.tables, [.current: question])
        var part = fold.part(rows)
        for unit in simulated.units { try part.add(unit.facts) }
        try fold.addRows(ofSums: [part.sums], to: rows)
        return found
    }

    /// Returns a row as a file has it.
    private static func line(_ row: TableRow, _ schema: TableSchema) -> [UInt8] {
        var (stored, full, writer) = ([UInt8](), TableRow(schema), CSVWriter(schema))
        row.encode(into: &stored)
        stored.withUnsafeBytes { full.decode($0) }
        full.appendTail(.insert, isRestated: false)
        writer.output = []
        writer.append(full)
        return writer.output
    }

    @Test func `give the rows of everything in any number`() throws {
        let simulated = try SimulatedUnits()
        let inputs = simulated.inputs.bytes
        let expected = try Self.direct(simulated)
        // Most tables have rows.
        #expect(expected.count > 9)
        for count in [1, 3, 7] {
            let answer = try Self.fold(simulated.segments(count, of: inputs), inputs)
            #expect(answer.rows == expected, "seed \(SimulatedUnits.seed), \(count) segments")
            for (number, table) in StateTable.all.enumerated() {
                #expect(answer.tallies[table.name] == Int64(expected[UInt8(number)]?.count ?? 0))
            }
        }
    }

    @Test func `hold every fact as it is`() throws {
        let facts = try SimulatedUnits().facts
        var writer = FrameWriter()
        for fact in facts { fact.append(to: &writer) }
        writer.finish()
        var reader = FrameReader()
        reader.append(writer.bytes)
        var read: [SegmentFact] = []
        while let frame = try reader.read() { read.append(try SegmentFact(frame)) }
        #expect(read == facts && facts.count > 500, "seed \(SimulatedUnits.seed)")
    }

    @Test func `are refused with other inputs, out of order, or of another version`() throws {
        let simulated = try SimulatedUnits(customers: 10)
        let inputs = simulated.inputs.bytes
        let segment = simulated.segments(1, of: inputs)[0]
        func refusal(_ stream: [UInt8], _ inputs: [UInt8]) -> SegmentError.Code? {
            #expect(throws: SegmentError.self) { _ = try Self.answer(to: stream, inputs) }?.code
        }
        let later = FoldInputs(
            simulated.inputs.context, asOf: simulated.inputs.asOf.advanced(byMilliseconds: 1), in: nil,
            zones: simulated.inputs.zones, as: .csv)
        #expect(refusal(segment, later.bytes) == .inputsInvalid)
        let text = String(decoding: inputs, as: UTF8.self)
        #expect(refusal(segment, Array(text.replacing("\"schema\":1", with: "\"schema\":2").utf8)) == .versionUnknown)
        #expect(refusal(segment, Array(text.dropLast().utf8)) == .inputsInvalid)
        #expect(refusal(segment, Array("{}".utf8)) == .versionUnknown)

        var writer = FrameWriter()
        SegmentHeader(partition: 0, of: 1, inputs: .sha256(of: inputs)).append(to: &writer)
        for fact in simulated.facts.sorted(by: { $0.subject > $1.subject }) { fact.append(to: &writer) }
        writer.finish()
        #expect(refusal(writer.bytes, inputs) == .corrupt)

        var headless = FrameWriter()
        simulated.facts[0].append(to: &headless)
        headless.finish()
        #expect(refusal(headless.bytes, inputs) == .corrupt)
    }

    @Test func `are folded or refused whatever well-formed frames hold`() throws {
        let simulated = try SimulatedUnits(customers: 4)
        let inputs = simulated.inputs.bytes
        var random = SeededRandom()
        for _ in 0..<300 {
            var writer = FrameWriter()
            SegmentHeader(partition: 0, of: 1, inputs: .sha256(of: inputs)).append(to: &writer)
            var whole = FrameWriter()
            random.pick(simulated.facts).append(to: &whole)
            var body = Array(whole.bytes.dropFirst(13))
            // A fact of the right length whose header of the row is damaged, so that no date becomes another.
            let end = min(body.count, 64)
            body[Int.random(in: 48..<end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            if random.chance(30) { body.removeLast(Int.random(in: 1...20, using: &random)) }
            writer.append(.observation) { $0 += body }
            writer.finish()
            do {
                _ = try Self.answer(to: writer.bytes, inputs)
            } catch let error as SegmentError {
                #expect([.corrupt, .versionUnknown].contains(error.code))
            }
        }
    }

    @Test func `have sums that are refused unless a fold makes them`() throws {
        let inputs = try SimulatedUnits(customers: 4).inputs.bytes
        let table = UInt8(try #require(StateTable.all.firstIndex { $0.name == "revenue" }))
        let key = #"["movement","Production","com.example","2026-01-05","USD",null,null,null,null]"#
        func refusal(_ table: UInt8, _ keys: [String], numbers: Int) -> SegmentError.Code? {
            var writer = FrameWriter()
            for key in keys {
                writer.append(.sum) { bytes in
                    bytes.append(table)
                    bytes.appendLittleEndian(UInt32(key.utf8.count))
                    bytes += key.utf8
                    for _ in 0..<numbers { bytes.appendLittleEndian(Int64(1)) }
                }
            }
            writer.finish()
            do {
                _ = try Self.answer(to: writer.bytes, inputs)
                return nil
            } catch {
                return (error as? SegmentError)?.code
            }
        }
        #expect(refusal(table, [key], numbers: 11) == nil)
        #expect(refusal(table, [key], numbers: 10) == .corrupt)
        #expect(refusal(table, [key, key], numbers: 11) == .corrupt)
        #expect(refusal(table, ["[]"], numbers: 11) == .corrupt)
        #expect(refusal(table, ["{"], numbers: 11) == .corrupt)
        #expect(refusal(table, [key.replacing("05", with: "35")], numbers: 11) == .corrupt)
        #expect(refusal(200, [key], numbers: 11) == .corrupt)
    }
}
