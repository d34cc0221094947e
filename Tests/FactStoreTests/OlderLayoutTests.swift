import Dispatch
import EventLog
import FactStore
import FoundationEssentials
import LMDB
import LedgerModel
import LedgerStorage
import Primitives
import Testing

/// A `derived/` folder written by an earlier version: layout 1, without a folder for facts, with facts of codec
/// version 1.
@Suite struct `FactIndex data of an older layout` {
    /// The numbers of the transactions, one per event.
    private static let numbers = [0, 4, 8, 12]

    /// A closed world with events that an earlier version derived.
    private static func world() async throws -> FactWorld {
        let world = try FactWorld()
        _ = try await world.append(numbers.map { [$0] })
        try world.facts.store()
        world.close()
        try FileManager.default.moveItem(atPath: world.folder.facts + "/data.mdb", toPath: olderFile(world))
        try FileManager.default.removeItem(atPath: world.folder.facts)
        try makeOlder(world.folder.derived)
        return world
    }

    private static func olderFile(_ world: FactWorld) -> String { world.folder.derived + "/data.mdb" }

    private static func olderBytes(_ world: FactWorld) -> Data? {
        FileManager.default.contents(atPath: olderFile(world))
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
                try transaction.put(1, at: Array("layout".utf8), in: meta)
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
            return try environment.read { try $0.number(Array("layout".utf8), in: meta) }
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
        #expect(try Self.layout(world.folder.derived) == 1)
        #expect(!FileManager.default.fileExists(atPath: world.folder.facts))
        #expect(EventFacts(bytes: Array(Self.olderFacts(0).dropFirst(8)), position: 0, recordedAt: .earliest) == nil)
    }

    @Test func `a writer derives again at opening, and keeps what it derived`() async throws {
        let world = try await Self.world()
        let older = try #require(Self.olderBytes(world))
        try world.open()
        #expect(world.facts.lag == Self.numbers.count)
        try expectAnswers(of: world.facts)
        let again = try await world.append([[4]])
        #expect(again.map(\.position) == [1] && again.allSatisfy { !$0.isAppended })
        try world.facts.store()
        world.close()
        #expect(try Self.layout(world.folder.facts) == 11)
        #expect(Self.olderBytes(world) == older)

        try world.open()
        #expect(world.facts.lag == 0)
        try expectAnswers(of: world.facts)
        world.close()
        try world.reading { _, derived in
            #expect(derived.lag == 0)
            try expectAnswers(of: derived)
        }
    }

    @Test func `an incomplete folder is continued, and the older facts stay until it is complete`() async throws {
        let world = try await Self.world()
        let older = try #require(Self.olderBytes(world))
        try world.open()
        try world.facts.store()
        _ = try await world.append([[16]])
        // The event is not stored, as after a crash.
        world.close()
        try world.open()
        #expect(world.facts.lag == 1)
        world.close()
        #expect(Self.olderBytes(world) == older)

        let gate = DispatchSemaphore(value: 0)
        gate.signal()
        try world.open(decodingThrough: gate)
        while world.facts.isCatchingUp { try await Task.sleep(for: .milliseconds(5)) }
        world.close()
        #expect(Self.olderBytes(world) == nil)
        try world.open()
        #expect(world.facts.lag == 0)
        try expectAnswers(of: world.facts, and: [16])
    }

    @Test func `older facts of which a part was already removed are removed entirely`() async throws {
        let world = try await Self.world()
        let manager = FileManager.default
        let parts = ["new", "facts-1", "facts-4"].map { world.folder.derived + "/" + $0 }
        for part in parts {
            try manager.createDirectory(atPath: part, withIntermediateDirectories: false)
            try #require(manager.createFile(atPath: part + "/lock.mdb", contents: nil))
        }
        let gate = DispatchSemaphore(value: 0)
        for _ in Self.numbers { gate.signal() }
        try world.open(decodingThrough: gate)
        while world.facts.isCatchingUp { try await Task.sleep(for: .milliseconds(5)) }
        world.close()
        let names = try manager.contentsOfDirectory(atPath: world.folder.derived).sorted()
        #expect(names == ["facts-11", "identities"])
    }

    @Test(arguments: ["layout", "codec"])
    func `facts of a newer version are refused, and stay`(number: String) async throws {
        let world = try FactWorld()
        _ = try await world.append([[0], [4]])
        try world.facts.store()
        world.close()
        try Self.opening(world.folder.facts) { environment in
            let meta = try environment.openDatabase("meta")
            try environment.write { try $0.put(99, at: Array(number.utf8), in: meta) }
        }
        let file = world.folder.facts + "/data.mdb"
        let before = FileManager.default.contents(atPath: file)
        for open in [world.open, { try world.reading { _, _ in } }] {
            let error = #expect(throws: StorageError.self) { try open() }
            #expect(error?.code == .versionUnknown)
            #expect(error?.expected == "layout 11, codec \(FactCodec.version)")
            #expect(error?.found?.contains("\(number) 99") == true)
        }
        #expect(FileManager.default.contents(atPath: file) == before)
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
        #expect(try Self.layout(world.folder.facts) == 11)
        #expect(Self.olderBytes(world) == nil)
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
        let before = try #require(Self.olderBytes(world))
        let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.derived).sorted()
        for _ in 0..<2 {
            try world.reading { _, derived in
                #expect(derived.lag == Self.numbers.count)
                try expectAnswers(of: derived)
            }
        }
        #expect(Self.olderBytes(world) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.derived).sorted() == names)
    }
}
