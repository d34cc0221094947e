import Glibc
import LMDB
import LMDBFileFormat
import LedgerTesting
import Testing

@Suite("A damaged data file")
struct DamagedFileTests {
    private static let refusals: Set<LMDBError.Code> = [.MDB_INVALID, .MDB_VERSION_MISMATCH, .MDB_CORRUPTED]

    /// Opens `bytes` as a data file; returns nil if they are refused as damaged.
    private func open(_ bytes: [UInt8], in directory: TemporaryDirectory, readOnly: Bool) throws -> Environment? {
        try directory.write(bytes)
        var options = Environment.Options.small
        options.readOnly = readOnly
        do {
            return try Environment(directory: directory.path, options: options)
        } catch {
            #expect(Self.refusals.contains(error.code), "\(error)")
            return nil
        }
    }

    @Test(arguments: [false, true])
    func `a truncated one is refused, unless only dead space is lost`(readOnly: Bool) throws {
        let sample = try SampleFile.random(seed: 3)
        let directory = try TemporaryDirectory()
        let lastLive = sample.bytes.indices.last {
            if case .live = sample.map.classify($0, in: sample.bytes.bytes) { true } else { false }
        }
        let lastLivePage = try #require(lastLive) / pageSize
        for byteCount in stride(from: 1, to: sample.bytes.count, by: 512) {
            let opened = try open(Array(sample.bytes.prefix(byteCount)), in: directory, readOnly: readOnly)
            #expect((opened != nil) == (byteCount / pageSize > lastLivePage), "\(byteCount) bytes")
            guard let opened else { continue }
            let databases = try opened.openDatabases(sample.names)
            #expect(try opened.read { try $0.contents(databases) } == sample.contents)
        }
    }

    @Test(arguments: [
        (0, 16, LMDBError.Code.MDB_INVALID), (1, 16, .MDB_INVALID),  // magic
        (0, 10, .MDB_INVALID), (1, 10, .MDB_INVALID),  // page flags
        (0, 20, .MDB_VERSION_MISMATCH), (1, 20, .MDB_VERSION_MISMATCH),  // format
        (0, 41, .MDB_CORRUPTED), (1, 41, .MDB_CORRUPTED),  // page size
        (1, 44, .MDB_CORRUPTED), (1, 92, .MDB_CORRUPTED),  // flags of the free list, of the main database
        (1, 80, .MDB_CORRUPTED), (1, 128, .MDB_CORRUPTED),  // roots
        (1, 46, .MDB_CORRUPTED), (1, 94, .MDB_CORRUPTED),  // depths
        (1, 140, .MDB_CORRUPTED),  // last page
        (0, 145, .MDB_CORRUPTED), (1, 144, .MDB_CORRUPTED),  // transaction ids
    ])
    func `a changed meta page is refused`(page: Int, offset: Int, code: LMDBError.Code) throws {
        let directory = try TemporaryDirectory()
        try Environment(directory: directory.path, options: .small).write { _ in }
        do {
            // Three commits in all: page 1 is the newer meta page.
            let environment = try Environment(directory: directory.path, options: .small)
            let database = try environment.openDatabase("bytes")
            for value in 1...2 as ClosedRange<UInt8> {
                try environment.write { try $0.put([value].bytes, at: [1].bytes, in: database) }
            }
        }
        var bytes = try directory.read()
        bytes[page * pageSize + offset] ^= 0x41
        try directory.write(bytes)
        let error = #expect(throws: LMDBError.self) { try Environment(directory: directory.path, options: .small) }
        #expect(error?.code == code)
    }

    @Test func `a damaged free list is refused to a writer and does not concern a reader`() throws {
        let sample = try SampleFile.longFreeList()
        let directory = try TemporaryDirectory()
        for offset in sample.bytes.indices
        where sample.map.classify(offset, in: sample.bytes.bytes) == .live(.freePageNumber, database: nil)
            && offset % 97 == 0
        {
            var bytes = sample.bytes
            bytes[offset] ^= 0x80
            #expect(try open(bytes, in: directory, readOnly: true) != nil)
            // Opening accepts changed numbers that are still in order and in range. Only a complete walk finds them.
            guard try open(bytes, in: directory, readOnly: false) != nil else { continue }
            #expect(!PageWalk.digest(of: bytes).walk.findings.isEmpty)
        }
    }

    @Test func `one whose last pages were freed before they were ever written is sound`() throws {
        let directory = try TemporaryDirectory()
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            let database = try environment.openDatabase("integers", flags: .integerKey)
            let value = [UInt8](repeating: 1, count: 500)
            // Once there are free pages to reuse, pages that a transaction allocates and frees itself are never
            // written.
            for key in 0..<10 as Range<UInt64> {
                try environment.write { try $0.put(value.bytes, at: key, in: database) }
            }
            var random = SeededRandom(seed: 1)
            try environment.write { transaction in
                let keys = 0..<1_000 as Range<UInt64>
                for key in keys { try transaction.put(value.bytes, at: key, in: database) }
                for key in keys.dropFirst().shuffled(using: &random) { try transaction.delete(key, in: database) }
            }
            let lastPage = try environment.information().lastPage
            #expect(try directory.read().count < (lastPage + 1) * pageSize, "the case this test is about")
        }
        let bytes = try directory.read()
        let walked = PageWalk.contents(of: bytes)
        #expect(walked.walk.findings.isEmpty)
        #expect(walked.contents["integers"]?.count == 1)
        let environment = try Environment(directory: directory.path, options: .small)
        #expect(try environment.openDatabase("integers", flags: .integerKey).flags == .integerKey)
    }

    @Test(arguments: seeds(40))
    func `whatever is in it, it is walked to the end, classified, and opened or refused`(seed: UInt64) throws {
        let sample = try SampleFile.random(seed: seed % 8)
        let directory = try TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...20, using: &random) { bytes.damage(&random) }
            let (walk, _) = PageWalk.digest(of: bytes)
            if let map = walk.map {
                for offset in stride(from: 0, to: bytes.count, by: 13) {
                    _ = map.classify(offset, in: bytes.bytes)
                }
            }
            #expect(walk.findings.count <= PageWalk.mostFindings)
            _ = try open(bytes, in: directory, readOnly: random.chance(50))
        }
    }

    @Test(arguments: [0, 1, 100, 151, 152, 4095, 4096, 8191, 8192, 20_000])
    func `noise is no data file`(byteCount: Int) throws {
        var random = SeededRandom(seed: 5)
        for bytes in [random.bytes(byteCount), Array(repeating: 0, count: byteCount)] {
            let (walk, contents) = PageWalk.contents(of: bytes)
            #expect(walk.findings.count == 1 && walk.map == nil && contents.isEmpty)
        }
    }
}

extension [UInt8] {
    /// Applies damage that disks and programs cause.
    fileprivate mutating func damage(_ random: inout SeededRandom) {
        guard !isEmpty else { return }
        let start = Int.random(in: indices, using: &random)
        let end = Swift.min(count, start + Int.random(in: 1...(random.chance(70) ? 8 : 5_000), using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: for index in start..<end { self[index] = 0 }
        case 1: for index in start..<end { self[index] = 0xFF }
        case 2: for index in start..<end { self[index] = UInt8.random(in: 0...255, using: &random) }
        case 3: self[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4:
            // One page overwrites another.
            let from = Int.random(in: 0...(count - 1) / pageSize, using: &random) * pageSize
            let to = Int.random(in: 0...(count - 1) / pageSize, using: &random) * pageSize
            for index in 0..<Swift.min(pageSize, count - Swift.max(from, to)) { self[to + index] = self[from + index] }
        default: if random.chance(20) { removeLast(Int.random(in: 0...count, using: &random)) }
        }
    }
}
