import EventLog
import LMDB
import Primitives
import Testing

extension LogUnderTest {
    func value(at key: UInt64, in database: String) throws -> [UInt8]? {
        try tampering { environment in
            let database = try environment.openDatabase(database, flags: .integerKey)
            return try environment.read { transaction in
                guard let value = try transaction.get(key, in: database) else { return nil }
                return value.withUnsafeBytes { Array($0) }
            }
        }
    }

    func value(at key: String, in database: String) throws -> [UInt8]? {
        try tampering { environment in
            let database = try environment.openDatabase(database)
            return try environment.read { transaction in
                let key = Array(key.utf8)
                guard let value = try transaction.get(key.span.bytes, in: database) else { return nil }
                return value.withUnsafeBytes { Array($0) }
            }
        }
    }

    func put(_ value: [UInt8], at key: UInt64, in database: String) throws {
        try tampering { environment in
            let database = try environment.openDatabase(database, flags: .integerKey)
            try environment.write { try $0.put(value.span.bytes, at: key, in: database) }
        }
    }

    func put(_ value: [UInt8], at key: String, in database: String) throws {
        try tampering { environment in
            let (database, key) = (try environment.openDatabase(database), Array(key.utf8))
            try environment.write { try $0.put(value.span.bytes, at: key.span.bytes, in: database) }
        }
    }

    func delete(_ key: UInt64, in database: String) throws {
        try tampering { environment in
            let database = try environment.openDatabase(database, flags: .integerKey)
            #expect(try environment.write { try $0.delete(key, in: database) })
        }
    }

    func delete(_ key: String, in database: String) throws {
        try tampering { environment in
            let (database, key) = (try environment.openDatabase(database), Array(key.utf8))
            #expect(try environment.write { try $0.delete(key.span.bytes, in: database) })
        }
    }
}

extension LogAudit {
    init(_ log: LogReader) {
        self.init(log, check: { _, _ in .success(()) }, progress: { _ in })
    }
}

extension LogAudit.Report {
    var isSound: Bool { firstBad == nil }
}

extension [UInt8] {
    /// The bytes with one changed; a negative index counts from the end.
    func changed(at index: Int) -> [UInt8] {
        var changed = self
        changed[index < 0 ? count + index : index] ^= 0x10
        return changed
    }
}
