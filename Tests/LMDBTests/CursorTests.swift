import LMDB
import Testing

@Suite("A cursor")
struct CursorTests {
    private let directory: TemporaryDirectory
    private let environment: Environment
    private let bytes: Database
    private let integers: Database

    init() throws {
        directory = try TemporaryDirectory()
        environment = try Environment(directory: directory.path, options: .small)
        let integers = try environment.openDatabase("integers", flags: .integerKey)
        let bytes = try environment.openDatabase("bytes")
        try environment.write { transaction in
            for key in [300, 2, 70_000] as [UInt64] {
                try transaction.put([UInt8](integer: key).bytes, at: key, in: integers)
            }
            for key in ["b", "ba", "a"] {
                try transaction.put(Array(key.utf8).bytes, at: Array(key.utf8).bytes, in: bytes)
            }
        }
        (self.integers, self.bytes) = (integers, bytes)
    }

    @Test func `walks integer keys in the order of numbers`() throws {
        try environment.read { transaction in
            var keys: [UInt64] = []
            var cursor = try transaction.cursor(in: integers)
            while let entry = try cursor.next() {
                #expect(entry.value.array.integer == entry.integerKey)
                keys.append(entry.integerKey)
            }
            #expect(keys == [2, 300, 70_000])
            #expect(try cursor.next()?.integerKey == nil)
            #expect(try cursor.first()?.integerKey == 2)
            #expect(try cursor.last()?.integerKey == 70_000)
        }
    }

    @Test(arguments: [(0, 2), (2, 2), (3, 300), (300, 300), (301, 70_000), (70_001, nil)] as [(UInt64, UInt64?)])
    func `seeks the key or the next above it`(key: UInt64, found: UInt64?) throws {
        try environment.read { transaction in
            var cursor = try transaction.cursor(in: integers)
            #expect(try cursor.seek(key)?.integerKey == found)
            // The same from another position.
            _ = try cursor.first()
            #expect(try cursor.seek(key)?.integerKey == found)
        }
    }

    @Test(
        arguments: [("!", "a"), ("a", "a"), ("aa", "b"), ("b", "b"), ("b!", "ba"), ("bb", nil)] as [(String, String?)])
    func `orders byte keys byte by byte, shorter ones first`(key: String, found: String?) throws {
        try environment.read { transaction in
            var cursor = try transaction.cursor(in: bytes)
            #expect(try cursor.seek(Array(key.utf8).bytes)?.key.array == found.map { Array($0.utf8) })
        }
    }

    @Test func `leaves its entries in place as it moves on`() throws {
        try environment.read { transaction in
            var cursor = try transaction.cursor(in: integers)
            let first = try cursor.first()
            _ = try cursor.last()
            #expect(first?.integerKey == 2)
        }
    }

    @Test func `finds nothing in an empty database`() throws {
        let empty = try environment.openDatabase("empty")
        try environment.read { transaction in
            var cursor = try transaction.cursor(in: empty)
            #expect(try cursor.first()?.key.array == nil)
            #expect(try cursor.last()?.key.array == nil)
            #expect(try cursor.seek([1].bytes)?.key.array == nil)
        }
    }

    @Test func `reads the changes of its own write transaction`() throws {
        try environment.write { transaction in
            try transaction.put([1].bytes, at: 5, in: integers)
            do {
                var cursor = try transaction.cursor(in: integers)
                #expect(try cursor.seek(3)?.integerKey == 5)
            }
            try transaction.delete(5, in: integers)
            var cursor = try transaction.cursor(in: integers)
            #expect(try cursor.seek(3)?.integerKey == 300)
        }
    }
}
