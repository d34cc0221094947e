import FoundationEssentials
import HashIndex
import LMDB
import LedgerTesting
import Testing

@Suite struct `An index of sorted runs` {
    /// Small blocks and segments, so that keys cross their boundaries and merges take many steps.
    private static let geometry: HashIndex.Geometry = {
        var geometry = HashIndex.Geometry()
        (geometry.entriesABlock, geometry.blocksASegment) = (5, 4)
        return geometry
    }()

    private static func key(_ number: Int) -> UInt128 {
        var generator = SeededRandom(seed: UInt64(number))
        return UInt128(generator.next()) << 64 | UInt128(generator.next())
    }

    private final class World {
        let path = FileManager.default.temporaryDirectory.path + "/runs-tests-\(UUID().uuidString)"
        private let environment: LMDB.Environment
        private let runs: HashIndex

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            environment = try LMDB.Environment(directory: path)
            runs = HashIndex(try environment.openDatabases(HashIndex.databases("a")), geometry: geometry)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func positions(of keys: [UInt128]) throws -> [UInt128: [UInt64]] {
            var found: [UInt128: [UInt64]] = [:]
            try environment.read { transaction in
                try runs.forEachEntry(of: keys.sorted(), transaction) { found[$0.key, default: []].append($0.position) }
            }
            return found.mapValues { $0.sorted() }
        }

        func add(_ entries: [IndexEntry], merging count: Int) throws {
            try environment.write { transaction in
                try runs.add(entries.sorted(), &transaction)
                try runs.compact(atLeast: count, &transaction)
            }
        }

        /// Returns the fault of the stored form and the sum of the entries, nil when they cannot be read.
        func audit(below size: UInt64 = .max) -> (fault: String?, sum: EntrySum?) {
            do {
                return try environment.read { transaction in
                    (
                        try runs.fault(transaction, report: {}),
                        try runs.sum(transaction, where: { $0.position < size }, report: { _ in })
                    )
                }
            } catch {
                return ("\(error)", nil)
            }
        }

        /// Changes one byte of a stored value while `body` runs.
        func changing(
            _ name: String, _ generator: inout SeededRandom, _ body: () throws -> Void
        ) throws {
            let database = try environment.openDatabase("a.\(name)", flags: name == "runs" ? .integerKey : [])
            let entries = try environment.read { transaction -> [(key: [UInt8], value: [UInt8])] in
                var entries: [(key: [UInt8], value: [UInt8])] = []
                var cursor = try transaction.cursor(in: database)
                while let entry = try cursor.next() {
                    entries.append((entry.key.withUnsafeBytes { Array($0) }, entry.value.withUnsafeBytes { Array($0) }))
                }
                return entries
            }
            let (key, value) = generator.pick(entries)
            var changed = value
            changed[Int.random(in: value.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try environment.write { try $0.put(changed.span.bytes, at: key.span.bytes, in: database) }
            try body()
            try environment.write { try $0.put(value.span.bytes, at: key.span.bytes, in: database) }
        }

        func entryCount(_ name: String) throws -> Int {
            let database = try environment.openDatabase("a.\(name)", flags: name == "runs" ? .integerKey : [])
            return try environment.read { try $0.statistics(of: database).entries }
        }
    }

    @Test(arguments: [0, 1, 30, 1_000])
    func `has no fault and the sum of its entries, at every point of its merges`(merging count: Int) throws {
        var generator = SeededRandom()
        let world = try World()
        var (sum, earlier) = (EntrySum(), EntrySum())
        for round in 0..<60 {
            let entries = (0..<Int.random(in: 1...40, using: &generator)).map {
                IndexEntry(key: Self.key(round * 100 + $0), position: UInt64(round))
            }
            try world.add(entries, merging: count)
            // An entry that is stored twice counts once.
            if generator.chance(20) { try world.add([entries[0]], merging: count) }
            for entry in entries {
                sum.add(entry)
                if round < 30 { earlier.add(entry) }
            }
            let audit = world.audit()
            #expect(audit.fault == nil && audit.sum == sum, "seed \(SeededRandom.seed), round \(round)")
        }
        #expect(world.audit(below: 30).sum == earlier)
    }

    @Test(arguments: ["runs", "blocks", "filters"])
    func `has a fault or another sum when a bit of it changed`(database: String) throws {
        var generator = SeededRandom()
        let world = try World()
        for round in 0..<20 {
            let entries = (0..<30).map { IndexEntry(key: Self.key(round * 100 + $0), position: UInt64(round)) }
            try world.add(entries, merging: 1_000)
        }
        let sound = world.audit()
        #expect(sound.fault == nil)
        for _ in 0..<300 {
            try world.changing(database, &generator) {
                let audit = world.audit()
                #expect(audit.fault != nil || audit.sum != sound.sum, "seed \(SeededRandom.seed)")
            }
        }
        #expect(world.audit() == sound)
    }

    @Test(arguments: [0, 1, 30, 1_000])
    func `has every position of a key once, at every point of its merges`(merging count: Int) throws {
        var generator = SeededRandom()
        let world = try World()
        var model: [UInt128: [UInt64]] = [:]
        var position: UInt64 = 0
        for round in 0..<150 {
            let entries = (0..<Int.random(in: 0...(generator.chance(10) ? 300 : 20), using: &generator)).map { _ in
                position += 1
                // One very frequent key, some that repeat, and some that are unique.
                let key = generator.pick([0, Int.random(in: 1..<50, using: &generator), 1_000 + Int(position)])
                return IndexEntry(key: Self.key(key), position: position)
            }
            for entry in entries { model[entry.key, default: []].append(entry.position) }
            try world.add(entries, merging: count)
            let known = model.keys.shuffled(using: &generator).prefix(30)
            let absent = (0..<30).map { Self.key(1_000_000 + round * 30 + $0) }
            for keys in [[Self.key(0)], known + absent, Array(model.keys)] where round % 10 == 0 || keys.count < 61 {
                let expected = model.filter { keys.contains($0.key) }
                #expect(
                    try world.positions(of: keys) == expected, "SUBLEDGER_SEED=\(TestEnvironment.seed), round \(round)")
            }
        }
        #expect(position > 1_000)
    }

    @Test func `is merged into few runs, and nothing is left of those it was merged from`() throws {
        let world = try World()
        for number in 0..<4_096 {
            try world.add([IndexEntry(key: Self.key(number), position: UInt64(number))], merging: .max)
        }
        // At most three runs per level. Level 0 has up to 64 entries, and each further level four times as many.
        #expect(try world.entryCount("runs") <= 3 * 5)
        let blocks = try world.entryCount("blocks")
        #expect(blocks * 5 >= 4_096 && blocks * 5 < 2 * 4_096)
        #expect(try world.positions(of: (0..<4_096).map(Self.key)).count == 4_096)
    }

    @Test func `asks few runs for what is not there`() {
        // With twelve bits per entry, about one absent key in a hundred passes.
        var generator = SeededRandom()
        let entries = (0..<100_000).map { IndexEntry(key: Self.key($0), position: 0) }.sorted()
        let filter = BloomFilter.bytes(of: entries[...])
        #expect(entries.allSatisfy { BloomFilter.mayContain($0.key, filter.span.bytes) })
        let passed = (0..<100_000).count { _ in
            let key = UInt128(generator.next()) << 64 | UInt128(generator.next())
            return BloomFilter.mayContain(key, filter.span.bytes)
        }
        #expect(passed < 2_000, "\(passed) of 100,000")
        #expect(filter.count * 8 < entries.count * 13)
    }
}
