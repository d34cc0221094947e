import Dispatch
import EventLog
import FactStore
import FoundationEssentials
import LMDB
import LedgerModel
import LedgerStorage
import Primitives
import Testing

/// A `derived/` folder written by an earlier version: layout 1, with facts of codec version 1.
@Suite struct `FactIndex data of an older layout` {
    /// The numbers of the transactions, one per event.
    private static let numbers = [0, 4, 8, 12]

    /// A closed world with events that an earlier version derived.
    private static func world() async throws -> FactWorld {
        let world = try FactWorld()
        _ = try await world.append(numbers.map { [$0] })
        try world.facts.store()
        world.close()
        try makeOlder(world.derivedDirectory)
        return world
    }

    private static func opening<Result>(
        _ directory: String, _ body: (LMDB.Environment) throws -> Result
    ) throws -> Result {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = FactWorld.mapSizeBytes
        return try body(try LMDB.Environment(directory: directory, options: options))
    }

    private static func makeOlder(_ directory: String) throws {
        try opening(directory) { environment in
            let meta = try environment.openDatabase("meta")
            let facts = try environment.openDatabase("facts", flags: .integerKey)
            try environment.write { transaction in
                let layout = withUnsafeBytes(of: UInt64(1)) { Array($0) }
                try transaction.put(layout.span.bytes, at: Array("layout".utf8).span.bytes, in: meta)
                for (position, number) in numbers.enumerated() {
                    try transaction.put(olderFacts(number).span.bytes, at: UInt64(position), in: facts)
                }
            }
        }
    }

    /// The time, followed by the facts with their codec version reset to 1. The version follows the number of rows and
    /// the length of the first.
    private static func olderFacts(_ number: Int) -> [UInt8] {
        var facts = EventFacts([KeyedObservation.sample(number)]).bytes
        facts[5] = 1
        return withUnsafeBytes(of: FactWorld.now.milliseconds.bigEndian) { Array($0) } + facts
    }

    private static func layout(_ directory: String) throws -> UInt64? {
        try opening(directory) { environment in
            let meta = try environment.openDatabase("meta")
            return try environment.read { transaction in
                let value = try transaction.get(Array("layout".utf8).span.bytes, in: meta)
                return value?.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            }
        }
    }

    /// Expects every key to have the observations that the log has for it.
    private func expectAnswers(
        of derived: FactIndex, and later: [Int] = [], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let numbers = Self.numbers + later
        var observations: [SubscriptionKey: [Observation]] = [:]
        for (position, number) in numbers.enumerated() {
            let keyed = KeyedObservation.sample(
                number, position: Position(position), recordedAt: FactWorld.now)
            guard case .subscription(let key) = keyed.key else { continue }
            observations[key, default: []].append(keyed.observation)
        }
        #expect(derived.size == UInt64(numbers.count), sourceLocation: location)
        for (key, expected) in observations {
            let found = try derived.timelines(around: key, knownAt: Position(numbers.count))
            #expect(found[key] == Timeline(expected), sourceLocation: location)
        }
    }

    @Test func `the fixture is as it says`() async throws {
        let world = try await Self.world()
        #expect(try Self.layout(world.derivedDirectory) == 1)
        #expect(EventFacts(bytes: Array(Self.olderFacts(0).dropFirst(8)), position: 0, recordedAt: .earliest) == nil)
    }

    @Test func `a writer derives again at opening, and keeps what it derived`() async throws {
        let world = try await Self.world()
        try world.open()
        #expect(world.facts.lag == Self.numbers.count)
        try expectAnswers(of: world.facts)
        let again = try await world.append([[4]])
        #expect(again.map(\.position) == [1] && again.allSatisfy { !$0.isAppended })
        try world.facts.store()
        world.close()
        #expect(try Self.layout(world.derivedDirectory) == 5)

        try world.open()
        #expect(world.facts.lag == 0)
        try expectAnswers(of: world.facts)
        world.close()
        try world.reading { _, derived in
            #expect(derived.lag == 0)
            try expectAnswers(of: derived)
        }
    }

    @Test func `a writer that opens at once is busy until all is decoded, and takes events meanwhile`() async throws {
        let world = try await Self.world()
        let gate = DispatchSemaphore(value: 0)
        try world.open(decodingThrough: gate)
        #expect(world.facts.isCatchingUp)
        #expect(throws: StorageError(.busy, "")) { try world.facts.catchUp(with: world.log.reader) }
        let late = try await world.append([[16], [4]])
        #expect(late.map(\.position) == [4, 1])
        #expect(world.facts.lag(behind: world.log.reader) == 5)
        for _ in 0..<5 { gate.signal() }
        while world.facts.isCatchingUp { try await Task.sleep(for: .milliseconds(5)) }
        try world.facts.catchUp(with: world.log.reader)
        try expectAnswers(of: world.facts, and: [16])
        #expect(try await world.append([[20]]).map(\.position) == [5])
        try expectAnswers(of: world.facts, and: [16, 20])
        world.close()
        #expect(try Self.layout(world.derivedDirectory) == 5)
        try world.open()
        #expect(world.facts.lag == 0)
        try expectAnswers(of: world.facts, and: [16, 20])
    }

    @Test func `a writer closes in the middle of decoding, and resumes from the stored facts`() async throws {
        let world = try await Self.world()
        let gate = DispatchSemaphore(value: 0)
        try world.open(decodingThrough: gate)
        // The batch at work ends, and no other begins.
        DispatchQueue.global().async { for _ in Self.numbers { gate.signal() } }
        world.close()
        try world.open()
        try expectAnswers(of: world.facts)
    }

    @Test func `a reader answers from the log, and changes nothing`() async throws {
        let world = try await Self.world()
        let file = world.derivedDirectory + "/data.mdb"
        let before = try #require(FileManager.default.contents(atPath: file))
        let names = try FileManager.default.contentsOfDirectory(atPath: world.derivedDirectory).sorted()
        for _ in 0..<2 {
            try world.reading { _, derived in
                #expect(derived.lag == Self.numbers.count)
                try expectAnswers(of: derived)
            }
        }
        #expect(FileManager.default.contents(atPath: file) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.derivedDirectory).sorted() == names)
    }
}
