import Dispatch
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization
import Testing
import TransparencyLog

@Suite struct `A backup of the ledger` {
    private static let ids = ["alice.liddell+7f3a@example.com", "4711", token("c")]

    /// A ledger with customers known by id and by token, and one that was first anonymous.
    private func populated() async throws -> TestLedger {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), Purchase("2"), customerId: Self.ids[0])
        try await shop.post(Purchase("3"), customerId: Self.ids[1])
        try await shop.ingest(Purchase("4", token: Self.ids[2]))
        let handle = try await shop.anonymousHandle(Purchase("5"))
        _ = try await shop.ledger.identify(Self.ids[1], handle: handle, by: .backend)
        try await shop.ingest(Purchase("6"))
        return shop
    }

    private func back(
        up shop: TestLedger, withSecrets: Bool, progress: (UInt64, UInt64) -> Void = { _, _ in }
    ) throws -> DataFolder {
        let folder = DataFolder(path: shop.folder.path + "-copy-\(withSecrets)")
        try LedgerBackup(of: shop.ledger.reader, withSecrets: withSecrets).copy(to: folder.path, progress: progress)
        return folder
    }

    /// Runs blocking code on another thread.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) -> Task<Value, any Error> {
        Task {
            try await withCheckedThrowingContinuation { done in
                DispatchQueue.global().async { done.resume(with: Result { try body() }) }
            }
        }
    }

    private func bytes(in folder: DataFolder) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[path] = FileManager.default.contents(atPath: folder.path + "/" + path)
        }
        return files
    }

    @Test func `with its secrets answers for every customer as the ledger does, and goes on`() async throws {
        let shop = try await populated()
        let copy = try TestLedger(at: back(up: shop, withSecrets: true), like: shop)
        func expectSameAnswers() throws {
            for id in Self.ids + ["nobody"] {
                #expect(try copy.customer(id).text == shop.customer(id).text, "\(id)")
            }
        }
        #expect(try Self.ids.map { try copy.purchases(of: $0) } == [["1", "2"], ["3", "5"], ["4"]])
        try expectSameAnswers()
        copy.close()
        try copy.openForReading()
        try expectSameAnswers()
        try copy.reopen()
        #expect(try copy.ledger.reader.signedCheckpoint().bytes == shop.ledger.reader.signedCheckpoint().bytes)

        try await copy.post(Purchase("7"), customerId: Self.ids[0])
        #expect(try copy.purchases(of: Self.ids[0]) == ["1", "2", "7"])
        #expect(try shop.purchases(of: Self.ids[0]) == ["1", "2"])
    }

    @Test func `has the last checkpoint with the key that signed it, and neither without`() async throws {
        let shop = try await populated()
        let signer = try CheckpointKey.loadOrMake(in: shop.folder, origin: shop.ledger.reader.log.origin)
        _ = try PublishedCheckpoint(of: shop.ledger.log.reader, in: shop.folder, signer: signer)
        try await shop.ingest(Purchase("7"))
        let published = try #require(FileManager.default.contents(atPath: shop.folder.checkpoint))
        let copy = try bytes(in: back(up: shop, withSecrets: true))
        #expect(copy["checkpoint"] == published && copy["keys/checkpoint.key"] != nil)
        let bare = try bytes(in: back(up: shop, withSecrets: false))
        #expect(bare["checkpoint"] == nil && bare["keys/checkpoint.key"] == nil)
    }

    @Test func `without its secrets has every purchase and not a byte of an id or a key`() async throws {
        let shop = try await populated()
        let secrets = try [shop.folder.vaultKey, shop.folder.checkpointKey].map { path in
            try #require(FileManager.default.contents(atPath: path))
        }
        let folder = try back(up: shop, withSecrets: false)
        let files = try bytes(in: folder)
        #expect(Set(files.keys.filter { $0.hasSuffix("data.mdb") }) == ["log/data.mdb"])
        for (path, bytes) in files {
            for secret in secrets + [Data(Self.ids[0].utf8)] {
                #expect(bytes.firstRange(of: secret) == nil, "in \(path)")
            }
        }
        let copy = try TestLedger(at: folder, like: shop)
        #expect(try copy.purchases(of: Self.ids[0]).isEmpty)
        #expect(try copy.purchases(of: Self.ids[1]).isEmpty)
        #expect(try copy.events() == shop.events())
    }

    /// Continues a copy that an earlier attempt left with other secrets, such as a vault that has since forgotten a
    /// customer.
    @Test(arguments: [true, false])
    func `gone on with takes no secrets from an earlier attempt`(withSecrets: Bool) async throws {
        let (shop, other) = (try await populated(), try await populated())
        let partial = DataFolder(path: shop.folder.path + "-copy-\(withSecrets).partial")
        try partial.create()
        for path in ["vault/data.mdb", "vault/lock.mdb", "keys/vault.key", "keys/checkpoint.key"] {
            try FileManager.default.copyItem(
                atPath: other.folder.path + "/" + path, toPath: partial.path + "/" + path)
        }
        try FileManager.default.copyItem(atPath: other.folder.vaultKey, toPath: partial.vaultKey + ".partial")
        let folder = try back(up: shop, withSecrets: withSecrets)
        let foreign = try #require(FileManager.default.contents(atPath: other.folder.vaultKey))
        #expect(try bytes(in: folder).values.allSatisfy { $0.firstRange(of: foreign) == nil })
        #expect(!withSecrets || folder.hasVault)
        let copy = try TestLedger(at: folder, like: shop)
        #expect(try copy.purchases(of: Self.ids[0]) == (withSecrets ? ["1", "2"] : []))
    }

    @Test func `beside a writer knows whomever its log speaks of`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("first"), customerId: "customer first")
        let ledger = shop.ledger.reader
        let path = shop.folder.path
        let isDone = Mutex(false)
        let copying = onThread {
            var folders: [DataFolder] = []
            repeat {
                folders.append(DataFolder(path: "\(path)-copy-\(folders.count)"))
                try LedgerBackup(of: ledger, withSecrets: true).copy(to: folders[folders.count - 1].path) { _, _ in }
            } while !isDone.withLock { $0 }
            return folders
        }
        let posted = 100
        for number in 0..<posted {
            try await shop.post(Purchase("\(number)"), customerId: "customer \(number)")
        }
        isDone.withLock { $0 = true }
        let folders = try await copying.value
        for folder in folders {
            let copy = try TestLedger(at: folder, like: shop)
            let known = try ((0..<posted).map(String.init) + ["first"]).filter { id in
                try copy.purchases(of: "customer \(id)") == [id]
            }
            #expect(try copy.events(.customerLinked).count == known.count)
        }
    }

    @Test func `leaves behind who is met while it is made, and meets them anew`() async throws {
        let shop = try await populated()
        let ledger = shop.ledger.reader
        let folder = DataFolder(path: shop.folder.path + "-copy")
        let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
        let goOn = DispatchSemaphore(value: 0)
        let copying = onThread {
            try LedgerBackup(of: ledger, withSecrets: true).copy(to: folder.path) { _, _ in
                continuation.yield()
                goOn.wait()
            }
        }
        for await _ in reached.prefix(1) {}
        for id in ["late", "later"] { try await shop.post(Purchase(id), customerId: id) }
        goOn.signal()
        let copied = try await copying.value

        let copy = try TestLedger(at: folder, like: shop)
        var size = try copy.ledger.reader.log.size()
        #expect(copied == size)
        #expect(try shop.ledger.reader.log.size() == size + 4)
        for id in ["later", "late"] {
            #expect(try copy.purchases(of: id).isEmpty)
            try await copy.post(Purchase("new " + id), customerId: id)
            #expect(try copy.purchases(of: id, knownAt: size).isEmpty)
            size += 2
            #expect(try copy.purchases(of: id, knownAt: size) == ["new " + id])
        }
    }

    @Test func `has what is in quarantine`() async throws {
        let shop = try await populated()
        let stranger = Purchase("8", bundleId: "com.example.other").text
        #expect(try await shop.post(Purchase("8", bundleId: "com.example.other")).isEverythingRefused)
        let folder = try back(up: shop, withSecrets: false)
        let name = Digest.sha256(of: stranger.utf8).hex
        let copy = try TestLedger(at: folder, like: shop)
        #expect(try copy.ledger.quarantine.size() == shop.ledger.quarantine.size())
        let items = [copy, shop].map { FileManager.default.contents(atPath: "\($0.folder.quarantine)/\(name)") }
        #expect(items[0] != nil && items[0] == items[1])
    }
}
