import FactSegments
import LedgerTesting
import Testing

@Suite struct `Frames` {
    /// Returns the bodies of the frames in a stream.
    private static func bodies(_ pieces: [ArraySlice<UInt8>]) throws -> [[UInt8]] {
        var reader = FrameReader()
        var bodies: [[UInt8]] = []
        for piece in pieces {
            reader.append(piece)
            while let frame = try reader.read() { bodies.append(Array(frame.body)) }
        }
        try reader.finish()
        return bodies
    }

    private static func stream(_ bodies: [[UInt8]]) -> [UInt8] {
        var writer = FrameWriter()
        for body in bodies { writer.append(.row) { $0 += body } }
        writer.finish()
        return writer.take()
    }

    private static func randomBodies(_ random: inout SeededRandom) -> [[UInt8]] {
        (0..<Int.random(in: 0...20, using: &random)).map { _ in random.bytes(Int.random(in: 0...200, using: &random)) }
    }

    @Test func `are read from pieces of any size`() throws {
        var random = SeededRandom()
        for round in 0..<200 {
            let bodies = Self.randomBodies(&random)
            var rest = Self.stream(bodies)[...]
            var pieces: [ArraySlice<UInt8>] = []
            while !rest.isEmpty {
                pieces.append(rest.prefix(Int.random(in: 1...300, using: &random)))
                rest = rest.dropFirst(pieces[pieces.count - 1].count)
            }
            #expect(try Self.bodies(pieces) == bodies, "seed \(SeededRandom.seed), round \(round)")
        }
    }

    @Test func `are refused where any bit differs`() throws {
        var random = SeededRandom()
        for round in 0..<300 {
            var bytes = Self.stream(Self.randomBodies(&random))
            let place = Int.random(in: bytes.indices, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let error = #expect(throws: SegmentError.self, "seed \(SeededRandom.seed), round \(round)") {
                _ = try Self.bodies([bytes[...]])
            }
            #expect([.corrupt, .truncated].contains(error?.code))
        }
    }

    @Test func `are refused where the stream ends too early or bytes follow its end`() throws {
        var random = SeededRandom()
        let bytes = Self.stream([random.bytes(40), [], random.bytes(3)])
        for count in bytes.indices {
            let error = #expect(throws: SegmentError.self) { _ = try Self.bodies([bytes.prefix(count)]) }
            #expect(error?.code == .truncated)
        }
        let longer = #expect(throws: SegmentError.self) { _ = try Self.bodies([bytes + [0]]) }
        #expect(longer?.code == .corrupt)
    }

    @Test func `are refused where one is missing, repeated or too long`() throws {
        var random = SeededRandom()
        let bodies = (0..<3).map { _ in random.bytes(10) }
        let bytes = Self.stream(bodies)
        let length = bytes.count
        let frame = 4 + 8 + 1 + 10
        for damaged in [Array(bytes[frame...]), bytes[..<frame] + bytes, [255, 255, 255, 255] + bytes.dropFirst(4)] {
            let error = #expect(throws: SegmentError.self) { _ = try Self.bodies([damaged[...]]) }
            #expect(error?.code == .corrupt && damaged.count != length || damaged.first == 255)
        }
    }

    @Test func `have a sum of digests that no order changes`() {
        var random = SeededRandom()
        let bodies = (0..<20).map { _ in random.bytes(20) }
        func tally(_ bodies: [[UInt8]]) -> FrameTally {
            var writer = FrameWriter()
            for body in bodies { writer.append(.observation) { $0 += body } }
            return writer.tally
        }
        #expect(tally(bodies) == tally(bodies.shuffled(using: &random)))
        #expect(tally(bodies) != tally(Array(bodies.dropLast())))
    }
}
