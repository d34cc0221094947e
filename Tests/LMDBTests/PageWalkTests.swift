import LMDB
import LMDBFileFormat
import LedgerTesting
import Testing

@Suite("A walk over a data file")
struct PageWalkTests {
    @Test(arguments: seeds(4))
    func `every changed byte is found, seen as other content, or dead`(seed: UInt64) throws {
        let sample = try SampleFile.random(seed: seed)
        let wrong = sample.misjudged(sample.offsets(seed: seed, spaces: 3), seed: seed)
        #expect(wrong.isEmpty, "seed \(seed), \(sample.bytes.count) bytes: \(wrong.prefix(5))")
    }

    @Test(arguments: seeds(1))
    func `every changed byte is found or dead before the first commit`(seed: UInt64) throws {
        let sample = try SampleFile.fresh()
        let wrong = sample.misjudged(sample.bytes.indices, seed: seed)
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.prefix(5))")
    }

    @Test(arguments: seeds(1))
    func `every changed byte of a log is found, seen as other content, or dead`(seed: UInt64) throws {
        let sample = try SampleFile.appended()
        let wrong = sample.misjudged(sample.bytes.indices, seed: seed)
        #expect(wrong.isEmpty, "seed \(seed), \(sample.bytes.count) bytes: \(wrong.prefix(5))")
    }

    @Test(arguments: seeds(1))
    func `every changed byte of a long free list is found or dead`(seed: UInt64) throws {
        let sample = try SampleFile.longFreeList()
        var random = SeededRandom(seed: seed)
        let offsets = sample.offsets(seed: seed, spaces: 0).filter { _ in random.chance(20) }
        let wrong = sample.misjudged(offsets, seed: seed)
        #expect(wrong.isEmpty, "seed \(seed), \(sample.bytes.count) bytes: \(wrong.prefix(5))")
    }

    @Test func `changes that make up for each other are found`() throws {
        let sample = try SampleFile.appended()
        // Two values of one page: one length grows by as much as the other shrinks.
        let lengths = sample.bytes.indices.filter {
            sample.map.classify($0, in: sample.bytes.bytes) == .live(.length, database: "integers")
                && $0 % 2 == 0 && (100...240).contains(sample.bytes[$0])
        }
        let pairs = zip(lengths, lengths.dropFirst()).filter { $0 / pageSize == $1 / pageSize }
        try #require(!pairs.isEmpty)
        for (first, second) in pairs {
            var file = sample.bytes
            file[first] += 8
            file[second] -= 8
            #expect(!PageWalk.digest(of: file).walk.findings.isEmpty)
        }
    }

    @Test func `keys out of order are found, whatever the caller makes of them`() throws {
        for (sample, kind) in [
            (try SampleFile.appended(), ByteClass.live(.key, database: "integers")),
            (try SampleFile.longFreeList(), .dead(.mayVary)),
        ] {
            let keys = sample.bytes.indices.filter { sample.map.classify($0, in: sample.bytes.bytes) == kind }
            // The second of two neighbouring entries gets the key of the first.
            let pairs = zip(keys, keys.dropFirst(8)).filter { $1 - $0 > 8 && $1 - $0 < 300 }.prefix(50)
            let found = pairs.flatMap { first, second in
                var file = sample.bytes
                for offset in 0..<8 { file[second + offset] = file[first + offset] }
                return PageWalk.digest(of: file).walk.findings.map(\.what)
            }
            #expect(found.contains { $0.hasSuffix("keys out of order") })
        }
    }

    @Test func `names the page and says what is wrong`() throws {
        let sample = try SampleFile.appended()
        let header = try #require(
            sample.bytes.indices.first {
                sample.map.classify($0, in: sample.bytes.bytes) == .live(.pageHeader, database: "integers")
            })
        var file = sample.bytes
        file[header] ^= 0x80
        let page = UInt64(header / pageSize)
        let finding = try #require(PageWalk.digest(of: file).walk.findings.first)
        #expect(finding.page == page)
        #expect(finding.what == "integers: page number \(page ^ 0x80), expected \(page)")
    }

    @Test func `a database that must not be there, or not like that, is found`() throws {
        let sample = try SampleFile.appended()
        func findings(_ flags: (String) -> Database.Flags?) -> [String] {
            PageWalk.run(over: sample.bytes.bytes, flags: { flags($0)?.rawValue }, visit: { _, _, _ in }).findings.map(
                \.what)
        }
        #expect(findings(flags(ofDatabase:)) == [])
        #expect(findings { $0 == "meta" ? nil : .integerKey } == ["unexpected database meta"])
        #expect(findings { _ in [] } == ["integers: flags 8, expected 0"])
    }
}

extension SampleFile {
    /// All offsets but those of free pages and free space, of which only `spaces` percent are taken.
    func offsets(seed: UInt64, spaces: Int) -> [Int] {
        var random = SeededRandom(seed: seed)
        return bytes.indices.filter { offset in
            switch map.classify(offset, in: bytes.bytes) {
            case .dead(.freePage), .dead(.slack): random.chance(spaces)
            default: true
            }
        }
    }
}

extension SampleFile {
    /// Changes one byte at a time and returns those that the walk or the map judged wrongly.
    func misjudged(_ offsets: some Sequence<Int>, seed: UInt64) -> [String] {
        var random = SeededRandom(seed: seed)
        var file = bytes
        let sound = PageWalk.digest(of: file).digest
        var wrong: [String] = []
        for offset in offsets {
            let byte = map.classify(offset, in: bytes.bytes)
            // Structural bytes are changed bit by bit, because some bits of a field matter less than others.
            let isStructure = if case .live(let kind, _) = byte { !kind.isContent } else { byte == .dead(.mayVary) }
            for change in isStructure ? (0..<8).map({ 1 << $0 }) + [random.change()] : [random.change()] {
                file[offset] = bytes[offset] ^ change
                let (walk, digest) = PageWalk.digest(of: file)
                if !byte.explains(isFound: !walk.findings.isEmpty, isSame: digest == sound) {
                    wrong.append("\(offset): \(bytes[offset]) -> \(file[offset]), \(byte), \(walk.findings.prefix(3))")
                }
            }
            file[offset] = bytes[offset]
        }
        return wrong
    }
}

extension ByteClass {
    /// Whether this effect is allowed for a changed byte of this class.
    fileprivate func explains(isFound: Bool, isSame: Bool) -> Bool {
        switch self {
        case .live(let kind, _): isFound || kind.isContent && !isSame
        case .dead(.mayVary): isFound || isSame
        case .dead: !isFound && isSame
        }
    }
}

extension PageWalk {
    /// Walks a file and hashes the entries that it visits.
    static func digest(of file: [UInt8]) -> (walk: PageWalk, digest: Int) {
        var hasher = Hasher()
        let walk = PageWalk.run(
            over: file.bytes,
            flags: { name in
                hasher.combine(name)
                return LMDBTests.flags(ofDatabase: name).rawValue
            },
            visit: { entry, database, _ in
                hasher.combine(database)
                hasher.combine(entry.key.byteCount)
                entry.key.withUnsafeBytes { hasher.combine(bytes: $0) }
                hasher.combine(entry.value.byteCount)
                entry.value.withUnsafeBytes { hasher.combine(bytes: $0) }
            })
        return (walk, hasher.finalize())
    }
}
