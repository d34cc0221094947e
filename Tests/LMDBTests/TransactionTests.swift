import Glibc
import LMDB
import Synchronization
import Testing

@Suite("A transaction")
struct TransactionTests {
    private let directory: TemporaryDirectory
    private let environment: Environment
    private let bytes: Database
    private let integers: Database

    init() throws {
        directory = try TemporaryDirectory()
        environment = try Environment(directory: directory.path, options: .small)
        bytes = try environment.openDatabase("bytes")
        integers = try environment.openDatabase("integers", flags: .integerKey)
    }

    private struct Refusal: Error, Equatable {}

    private func value(_ key: UInt64) throws -> [UInt8]? {
        try environment.read { try $0.get(key, in: integers)?.array }
    }

    @Test func `that throws leaves nothing behind`() throws {
        #expect(throws: Refusal()) {
            try environment.write { transaction in
                try transaction.put([1].bytes, at: 1, in: integers)
                throw Refusal()
            }
        }
        #expect(try value(1) == nil)
    }

    @Test func `that is dropped without a commit leaves nothing behind`() throws {
        do {
            var transaction = try environment.beginWrite()
            try transaction.put([1].bytes, at: 1, in: integers)
        }
        #expect(try value(1) == nil)
        var transaction = try environment.beginWrite()
        try transaction.put([2].bytes, at: 1, in: integers)
        try transaction.commit()
        #expect(try value(1) == [2])
    }

    @Test func `reads what it wrote, before others do`() throws {
        try environment.write { transaction in
            try transaction.put([1].bytes, at: 1, in: integers)
            #expect(try transaction.get(1, in: integers)?.array == [1])
            #expect(try value(1) == nil)
        }
        #expect(try value(1) == [1])
    }

    @Test func `sees one state`() throws {
        try environment.write { try $0.put([1].bytes, at: 1, in: integers) }
        let reader = try environment.beginRead()
        try environment.write { try $0.put([2].bytes, at: 1, in: integers) }
        #expect(try reader.get(1, in: integers)?.array == [1])
        let later = try environment.beginRead()
        #expect(try later.get(1, in: integers)?.array == [2])
        #expect(later.id == reader.id + 1)
    }

    @Test func `keeps the environment open as long as it lives`() throws {
        func begin() throws -> ReadTransaction {
            try Environment(directory: directory.path, options: .small).beginRead()
        }
        let directory = try TemporaryDirectory()
        do {
            let reader = try begin()
            #expect(throws: LMDBError(.EBUSY, operation: "")) { _ = try begin() }
            #expect(reader.id == 0)
        }
        _ = try begin()
    }

    @Test func `tells an absent key from an empty value`() throws {
        try environment.write { transaction in
            try transaction.put(RawSpan(), at: 1, in: integers)
            try transaction.put(RawSpan(), at: [1].bytes, in: bytes)
        }
        try environment.read { transaction in
            let empty = try transaction.get(1, in: integers)?.array
            #expect(empty == [])
            #expect(try transaction.get(2, in: integers)?.array == nil)
            #expect(try transaction.get([1].bytes, in: bytes)?.array == [])
            #expect(try transaction.get([1, 0].bytes, in: bytes)?.array == nil)
        }
    }

    @Test func `deletes what is there, and says so`() throws {
        try environment.write { transaction in
            try transaction.put([1].bytes, at: 7, in: integers)
            #expect(try transaction.delete(7, in: integers))
            #expect(try !transaction.delete(7, in: integers))
        }
        #expect(try value(7) == nil)
    }

    @Test func `appends in order only`() throws {
        try environment.write { transaction in
            try transaction.put([1].bytes, at: 5, in: integers, .append)
            #expect(throws: LMDBError(.MDB_KEYEXIST, operation: "")) {
                try transaction.put([2].bytes, at: 5, in: integers, .append)
            }
            try transaction.put([2].bytes, at: 6, in: integers, .append)
        }
        #expect(try value(5) == [1])
        #expect(try value(6) == [2])
    }

    @Test(arguments: [0, 512])
    func `refuses a key of a length that cannot be`(byteCount: Int) throws {
        let key = [UInt8](repeating: 1, count: byteCount)
        #expect(throws: LMDBError(.MDB_BAD_VALSIZE, operation: "")) {
            try environment.write { try $0.put([1].bytes, at: key.bytes, in: bytes) }
        }
    }

    @Test func `that fills the map fails alone, and there is room for smaller ones after`() throws {
        let directory = try TemporaryDirectory()
        var options = Environment.Options()
        options.mapSizeBytes = 1 << 20
        let environment = try Environment(directory: directory.path, options: options)
        let database = try environment.openDatabase("a", flags: .integerKey)
        let value = [UInt8](repeating: 1, count: 100_000)
        try environment.write { try $0.put(value.bytes, at: 0, in: database) }
        #expect(throws: LMDBError(.MDB_MAP_FULL, operation: "")) {
            try environment.write { transaction in
                for key in 1..<100 as Range<UInt64> { try transaction.put(value.bytes, at: key, in: database) }
            }
        }
        #expect(try environment.read { try $0.statistics(of: database).entries } == 1)
        try environment.write { try $0.put(value.bytes, at: 1, in: database) }
        #expect(try environment.read { try $0.statistics(of: database).entries } == 2)
    }

    @Test func `waits for the one that writes`() async throws {
        let order = Mutex<[Int]>([])
        var first = try environment.beginWrite()
        let second = Task.detached { [environment, integers] in
            try environment.write { transaction in
                order.withLock { $0.append(2) }
                try transaction.put([2].bytes, at: 1, in: integers)
            }
        }
        try first.put([1].bytes, at: 1, in: integers)
        order.withLock { $0.append(1) }
        try first.commit()
        try await second.value
        #expect(order.withLock { $0 } == [1, 2])
        #expect(try value(1) == [2])
    }
}
