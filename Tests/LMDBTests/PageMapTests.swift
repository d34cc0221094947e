import LMDB
import LMDBFileFormat
import LedgerTesting
import Testing

@Suite("Dead bytes")
struct PageMapTests {
    @Test(arguments: seeds(6))
    func `liblmdb reads and writes as before when all of them have changed`(seed: UInt64) throws {
        for sample in try [SampleFile.random(seed: seed), .appended(), .longFreeList()] {
            var random = SeededRandom(seed: seed)
            var file = sample.bytes
            for offset in file.indices {
                switch sample.map.classify(offset, in: sample.bytes.bytes) {
                case .live, .dead(.mayVary): continue
                case .dead: file[offset] ^= random.change()
                }
            }
            // After a crash there may be any bytes after the last page, including a partial page.
            file += random.bytes(5_000)
            let walked = PageWalk.contents(of: file)
            #expect(walked.walk.findings.isEmpty && walked.contents == sample.contents, "seed \(seed)")
            try expectUsable(file, as: sample, &random, "seed \(seed)")
        }
    }

    @Test(arguments: seeds(6))
    func `one that may vary is found, or liblmdb reads and writes as before`(seed: UInt64) throws {
        for sample in try [SampleFile.random(seed: seed), .longFreeList()] {
            var random = SeededRandom(seed: seed)
            let offsets = sample.bytes.indices.filter {
                sample.map.classify($0, in: sample.bytes.bytes) == .dead(.mayVary)
            }
            var file = sample.bytes
            for offset in offsets.shuffled(using: &random).prefix(30) {
                // A change of the lowest bit is the most likely to be missed.
                file[offset] ^= random.chance(50) ? 1 : random.change()
                if PageWalk.digest(of: file).walk.findings.isEmpty {
                    try expectUsable(file, as: sample, &random, "seed \(seed), offset \(offset)")
                }
                file[offset] = sample.bytes[offset]
            }
        }
    }

    /// Reads `file` with liblmdb, changes it, and reads it again.
    private func expectUsable(
        _ file: [UInt8], as sample: SampleFile, _ random: inout SeededRandom, _ comment: Comment
    ) throws {
        let directory = try TemporaryDirectory()
        try directory.write(file)
        var expected = sample.contents
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            let databases = try environment.openDatabases(sample.names)
            #expect(try environment.read { try $0.contents(databases) } == expected, comment)
            for _ in 0..<10 {
                try environment.write { transaction in
                    for (name, database) in databases.sorted(by: { $0.key < $1.key }) {
                        let key = [UInt8](integer: UInt64.random(in: 0...400, using: &random))
                        let value = random.bytes(Int.random(in: 0...3_000, using: &random))
                        try transaction.put(value.bytes, at: key.bytes, in: database)
                        expected[name]?[key] = value
                        if let other = expected[name]?.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
                            try transaction.delete(other.bytes, in: database)
                            expected[name]?[other] = nil
                        }
                    }
                }
            }
            #expect(try environment.read { try $0.contents(databases) } == expected, comment)
        }
        let after = PageWalk.contents(of: try directory.read())
        #expect(after.walk.findings.isEmpty && after.contents == expected, comment)
    }

    @Test func `every page of a log is told apart`() throws {
        let sample = try SampleFile.appended()
        var kinds: Set<ByteClass> = []
        for offset in sample.bytes.indices { kinds.insert(sample.map.classify(offset, in: sample.bytes.bytes)) }
        for kind in [ByteClass.Dead.slack, .padding, .unused, .freePage, .olderMeta, .mayVary] {
            #expect(kinds.contains(.dead(kind)))
        }
        for kind in [ByteClass.Live.pageHeader, .nodePointer, .nodeHeader, .pageNumber, .key, .value, .length] {
            #expect(kinds.contains(.live(kind, database: "integers")))
        }
        // Positions have no gaps, so no other separator would fit between two of them.
        #expect(kinds.contains(.live(.separator, database: "integers")))
        #expect(!kinds.contains(.dead(.unaccounted)) && !kinds.contains(.dead(.tail)))
    }
}
