import AppStoreTranslation
import EventLog
import FoundationEssentials
import LMDB
import LedgerModel
import Primitives
import ProjectionRuntime
import Testing

/// A `derived/` that an earlier version has written: layout 1, with facts of codec version 1.
@Suite struct `Derived data of an older layout` {
    /// Transactions, one an event.
    private static let numbers = [0, 4, 8, 12]

    /// A closed world with events that an earlier version derived.
    private static func world() async throws -> DerivedWorld {
        let world = try DerivedWorld()
        _ = try await world.append(numbers.map { [$0] })
        try world.derived.apply()
        world.close()
        try makeOlder(world.derivedDirectory)
        return world
    }

    private static func opening<Result>(
        _ directory: String, _ body: (LMDB.Environment) throws -> Result
    ) throws -> Result {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = DerivedWorld.mapSizeBytes
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

    /// The time, then the facts with the codec's version, which stands before the last observation, put back to 1.
    private static func olderFacts(_ number: Int) -> [UInt8] {
        let filed = FiledObservation.sample(number)
        var facts = EventFacts([filed]).bytes
        facts[facts.count - FactCodec.encode(filed.observation).count] = 1
        return withUnsafeBytes(of: DerivedWorld.now.milliseconds.bigEndian) { Array($0) } + facts
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

    /// Every key has the observations that the log has of it.
    private func expectAnswers(of derived: Derived, _ location: SourceLocation = #_sourceLocation) throws {
        var observations: [SubscriptionKey: [Observation]] = [:]
        for (position, number) in Self.numbers.enumerated() {
            let filed = FiledObservation.sample(
                number, position: Position(position), recordedAt: DerivedWorld.now)
            guard case .subscription(let key) = filed.key else { continue }
            observations[key, default: []].append(filed.observation)
        }
        #expect(derived.size == UInt64(Self.numbers.count), sourceLocation: location)
        for (key, expected) in observations {
            let found = try derived.timelines(around: key, knownAt: Position(Self.numbers.count))
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
        #expect(world.derived.lag == Self.numbers.count)
        try expectAnswers(of: world.derived)
        let again = try await world.append([[4]])
        #expect(again.map(\.position) == [1] && again.allSatisfy { !$0.isAppended })
        try world.derived.apply()
        world.close()
        #expect(try Self.layout(world.derivedDirectory) == 3)

        try world.open()
        #expect(world.derived.lag == 0)
        try expectAnswers(of: world.derived)
        world.close()
        try world.reading { _, derived in
            #expect(derived.lag == 0)
            try expectAnswers(of: derived)
        }
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
