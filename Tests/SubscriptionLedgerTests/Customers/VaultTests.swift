import EventLog
import FoundationEssentials
import LMDB
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

struct VaultTests {
    private static let externalId = "alice.liddell+7f3a@example.com"

    @Test func `no id is in any file, in an event or in an error`() async throws {
        let shop = try TestLedger()
        let id = Self.externalId
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify(id, handle: handle, by: .backend)
        try await shop.post(Purchase("1"), Purchase("2"), customerId: id)
        try await shop.post(Purchase("3", bundleId: "com.example.other"), customerId: id)
        try await shop.post(Purchase("2"), customerId: "b" + id)
        let error = await #expect(throws: CustomerError.self) {
            try await shop.post(Purchase("4"), customerId: id, handle: String(repeating: "0", count: 32))
        }
        #expect(error.map { !"\($0)".contains(id) } == true)
        #expect(try shop.purchases(of: id) == ["1", "2"])
        shop.close()

        var searched = 0
        let files = try FileManager.default.subpathsOfDirectory(atPath: shop.folder.path)
        for path in files {
            guard let bytes = FileManager.default.contents(atPath: shop.folder.path + "/" + path) else { continue }
            #expect(bytes.firstRange(of: Array(id.utf8)) == nil, "in \(path)")
            searched += bytes.count
            // The search finds a handle, which the log does contain.
            if path == "log/data.mdb" { #expect(bytes.firstRange(of: Array(handle.utf8)) != nil) }
        }
        #expect(searched > 100_000)
    }

    @Test func `the key is 32 bytes that only their owner can read`() throws {
        let shop = try TestLedger()
        let attributes = try FileManager.default.attributesOfItem(atPath: shop.folder.vaultKey)
        #expect(attributes[.size] as? UInt64 == 32)
        #expect(attributes[.posixPermissions] as? UInt16 == 0o600)
    }

    @Test func `a key that others can read is refused`() throws {
        let shop = try TestLedger()
        shop.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: shop.folder.vaultKey)
        #expect(throws: StorageError(.ioError, "")) { try shop.open() }
        #expect(throws: StorageError(.ioError, "")) { try shop.openForReading() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: shop.folder.vaultKey)
        try shop.open()
    }

    @Test(arguments: [nil, [], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 32)])
    func `names filed under one key are not opened with another, or with none`(key: [UInt8]?) async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        shop.close()
        let path = shop.folder.vaultKey
        let original = try #require(FileManager.default.contents(atPath: path))
        try FileManager.default.removeItem(atPath: path)
        if let key {
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data(key), attributes: [.posixPermissions: 0o600]))
        }
        #expect(throws: StorageError(.ioError, "")) { try shop.open() }
        #expect(FileManager.default.contents(atPath: path) == key.map { Data($0) }, "it is not replaced")

        try? FileManager.default.removeItem(atPath: path)
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: original, attributes: [.posixPermissions: 0o600]))
        try shop.open()
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a key without names yet is taken`() throws {
        let shop = try TestLedger()
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.vault + "/data.mdb")
        let key = FileManager.default.contents(atPath: shop.folder.vaultKey)
        try shop.open()
        #expect(FileManager.default.contents(atPath: shop.folder.vaultKey) == key)
    }

    @Test func `a reading process knows customers, and writes nothing`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        shop.close()
        let before = FileManager.default.contents(atPath: shop.folder.vault + "/data.mdb")
        try shop.openForReading()
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.purchases(of: "bob").isEmpty)
        #expect(FileManager.default.contents(atPath: shop.folder.vault + "/data.mdb") == before)
    }

    @Test func `a ledger from before there was a vault knows nobody`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1", token: token("a")))
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.vault + "/data.mdb")
        try shop.openForReading()
        #expect(try shop.purchases(of: "alice").isEmpty)
        #expect(try shop.purchases(of: token("a")) == ["1"])
    }

    @Test func `a vault of an earlier version learns an id when it is used again`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("2"), customerId: "bob")
        shop.close()
        try Self.removeSealedNames(in: shop.folder.vault)
        try shop.open()
        #expect(try shop.purchases(of: "alice") == ["1"])
        func ids() throws -> Set<String> { Set(try shop.transitions().flatMap(\.customers).filter { $0.count < 32 }) }
        #expect(try ids().isEmpty, "owners without ids are named by their handles")
        try await shop.post(Purchase("1"), customerId: "alice")
        #expect(try ids() == ["alice"])
        try shop.reopen()
        #expect(try ids() == ["alice"])
    }

    /// Reverts the vault to the format of a version that did not encrypt names.
    private static func removeSealedNames(in vault: String) throws {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = 8 << 30
        let environment = try LMDB.Environment(directory: vault, options: options)
        let database = try environment.openDatabase("sealedNames")
        try environment.write { transaction in
            var keys: [[UInt8]] = []
            var cursor = try transaction.cursor(in: database)
            while let entry = try cursor.next() { keys.append(entry.key.withUnsafeBytes { Array($0) }) }
            for key in keys { _ = try transaction.delete(key.span.bytes, in: database) }
        }
    }

    @Test func `what is derived is made again from the log alone`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        try await shop.post(Purchase("2"), customerId: "bob", by: .app)
        try await shop.post(Purchase("2"), customerId: "alice", by: .backend)
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.derived)
        try shop.open()
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: "bob").isEmpty)
    }
}
