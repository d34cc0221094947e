import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite struct `An erasure with evidence` {
    @Test func `leaves no token in any file, and every answer but the identity`() async throws {
        let world = try await ErasureWorld()
        let shop = world.shop
        try shop.reopen()
        #expect(try world.isStored(ErasureWorld.tokens.alice) && world.isStored(ErasureWorld.tokens.bob))
        let size = try shop.reader.size()
        let (before, facts) = (try world.subscriptions(), try world.facts(below: size))
        let others = try ["bob", "carol"].map { try shop.customer($0)["subscriptions"]?.text }
        let head = try shop.reader.log.head()

        let answer = try await world.erase()
        #expect(answer.erased && answer.withEvidence && answer.position == size && answer.inRecords.isEmpty)
        #expect(answer.kept == [world.kept])
        #expect(answer.shared.contains(world.shared))
        func requireErased() throws {
            #expect(try !world.isStored(ErasureWorld.tokens.alice))
            #expect(try world.isStored(ErasureWorld.tokens.bob))
            #expect(try world.subscriptions() == before && world.subscriptions(knownAt: size) == before)
            #expect(try world.facts(below: size) == facts)
            #expect(try ["bob", "carol"].map { try shop.customer($0)["subscriptions"]?.text } == others)
            #expect(try shop.reader.log.root(ofFirst: head.size) == head.root)
            for id in [ErasureWorld.alice, ErasureWorld.tokens.alice, answer.handle ?? ""] {
                let unknown = try shop.customer(id)
                #expect(unknown.purchases.isEmpty && unknown["entitled"]?.bool == false, "\(id)")
                #expect(unknown["entitlements"]?.elements?.isEmpty == true, "\(id)")
            }
        }
        try requireErased()
        try shop.reopen()
        try requireErased()
        // The facts come from the residue.
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.derived)
        try shop.open()
        try requireErased()
        let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path)
        #expect(!names.contains { $0.contains("eras") }, "\(names)")
    }

    @Test func `is no tampering, and the tree grows only by the event`() async throws {
        let world = try await ErasureWorld()
        let head = try world.shop.reader.log.head()
        let answer = try await world.erase()
        let now = try world.shop.reader.log.head()
        #expect(now.size == head.size + 1)
        let report = try await world.audit(signatures: true)
        #expect(report.firstBad == nil && report.events == now.size, "\(String(describing: report.firstBad))")
        #expect(report.erased == UInt64(answer.evidence) && answer.evidence > 5)
        let signer = try CheckpointKey.loadOrMake(in: world.shop.folder, origin: world.shop.reader.origin)
        _ = try PublishedCheckpoint(of: world.shop.reader.log, in: world.shop.folder, signer: signer)
        #expect(try world.shop.reader.log.root(ofFirst: head.size) == head.root)
    }

    @Test func `is shown by every reader of events`() async throws {
        let world = try await ErasureWorld()
        let answer = try await world.erase()
        let erasure = try #require(answer.position)
        let reader = world.shop.reader
        var erased = 0
        for position in 0..<erasure {
            let row = try #require(try reader.event(at: position, facts: true))
            guard row.evidence.erasedBy != nil else { continue }
            erased += 1
            #expect(row.evidence.erasedBy == erasure && row.json.serialized().contains("\"erasedBy\":\(erasure)"))
            let error = #expect(throws: ErasedEvidenceError.self) { try reader.evidence(at: position) }
            #expect(error?.diagnosis.code == "evidence_erased")
            if row.kind == "notificationReceived" {
                #expect(row.about?.notificationType == "DID_RENEW" && row.about?.originalTransactionId == "1")
            }
        }
        #expect(erased == answer.evidence)
        let residue = try #require(try reader.evidence(at: erasure))
        #expect(residue.mediaType == "application/x-ndjson")
        #expect(residue.bytes.count { $0 == UInt8(ascii: "\n") } == erased)
        let event = try #require(try reader.event(at: erasure, facts: false))
        #expect(event.kind == "customerErased" && event.evidence.artifact == "erasure-residue")
    }

    @Test func `recognises what Apple sends again, also with a new index`() async throws {
        let world = try await ErasureWorld()
        let purchase = Purchase("1", token: ErasureWorld.tokens.alice, account: ErasureWorld.accounts.alice)
        let first = try await world.shop.ingest(ErasureWorld.notification("1", about: purchase))
        #expect(first.isDuplicate)
        _ = try await world.erase()
        for round in 0..<2 {
            let again = try await world.shop.ingest(ErasureWorld.notification("1", about: purchase))
            #expect(again.isDuplicate && !again.isAppended && again.position == first.position)
            // Signed again with other bytes, it is a further event about the same notification.
            let signed = try await world.shop.ingest(
                ErasureWorld.notification("1", about: purchase, copy: 2 + round))
            #expect(signed.isDuplicate && signed.isAppended && signed.position == first.position)
            world.shop.close()
            try FileManager.default.removeItem(atPath: world.shop.folder.derived)
            try world.shop.open()
        }
    }

    @Test func `says so when it is repeated`() async throws {
        let world = try await ErasureWorld()
        let first = try await world.erase()
        let size = try world.shop.reader.size()
        for id in [ErasureWorld.alice, ErasureWorld.tokens.alice, first.handle ?? "", "nobody"] {
            let again = try await world.erase(id)
            #expect(!again.erased && again.position == nil)
        }
        #expect(try world.shop.reader.size() == size)
    }

    @Test func `of a second person replaces the residue of the first`() async throws {
        let world = try await ErasureWorld()
        let before = try world.subscriptions()
        let first = try await world.erase()
        let second = try await world.erase("bob")
        #expect(second.erased)
        for token in [ErasureWorld.tokens.alice, ErasureWorld.tokens.bob] { #expect(try !world.isStored(token)) }
        #expect(try world.subscriptions() == before)
        let report = try await world.audit()
        #expect(report.firstBad == nil, "\(String(describing: report.firstBad))")
        let position = try #require(first.position)
        let residue = try #require(try world.shop.reader.event(at: position, facts: false))
        #expect(residue.evidence.erasedBy == second.position)
        world.shop.close()
        try FileManager.default.removeItem(atPath: world.shop.folder.derived)
        try world.shop.open()
        #expect(try world.subscriptions() == before && world.shop.purchases(of: ErasureWorld.alice).isEmpty)
    }

    @Test func `forgets a token without a customer`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("7", token: token("c")))
        #expect(try shop.purchases(of: token("c")) == ["7"])
        let error = await #expect(throws: CustomerError.self) {
            _ = try await shop.ledger.erase(token("c"), withEvidence: false, by: .admin)
        }
        #expect(error?.code == .evidenceRequired)
        let answer = try await shop.ledger.erase(token("c").uppercased(), withEvidence: true, by: .admin)
        #expect(answer.erased && answer.evidence == 1)
        #expect(try shop.purchases(of: token("c")).isEmpty)
        // A renewal brings the token back; the person can be erased again.
        try await shop.ingest(Purchase("7", number: 2, token: token("c")))
        #expect(try shop.purchases(of: token("c")) == ["7"])
        #expect(try await shop.ledger.erase(token("c"), withEvidence: true, by: .admin).evidence == 1)
        #expect(try shop.purchases(of: token("c")).isEmpty)
    }

    @Test func `lets another customer have the token and the purchases afterwards`() async throws {
        let world = try await ErasureWorld()
        _ = try await world.erase()
        try await world.shop.post(
            Purchase("1", number: 4, token: ErasureWorld.tokens.alice), Purchase("2", number: 3), customerId: "dora")
        #expect(try world.shop.purchases(of: "dora") == ["1", "2"])
        #expect(try world.shop.purchases(of: ErasureWorld.tokens.alice) == ["1", "2"])
        #expect(try world.shop.events(.tokenMapped).count == 3)
        #expect(try world.shop.purchases(of: ErasureWorld.alice).isEmpty)
        try world.shop.reopen()
        #expect(try world.shop.purchases(of: "dora") == ["1", "2"])
    }

    @Test func `names the records of earlier versions that it cannot change`() async throws {
        let world = try await ErasureWorld()
        let body = JSONValue.object([
            "handle": .string(String(repeating: "0", count: 32)), "appAccountToken": .string(ErasureWorld.tokens.alice),
        ])
        let draft = EventDraft(
            kind: .tokenMapped, source: .http, environment: .none, artifact: .none, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .none, environment: .none, key: [1]),
            verifiedAt: Instant(milliseconds: 0), body: body.canonical())
        let log = world.shop.ledger.log
        let position = try await log.append([log.prepare(draft)])[0].position
        #expect(try await world.erase().inRecords == [position])
    }

    @Test func `empties quarantine and waiting imports of the person`() async throws {
        let world = try await ErasureWorld()
        let folder = world.shop.folder
        let other = Purchase("8", token: ErasureWorld.tokens.alice, bundleId: "com.example.other")
        for purchase in [other, Purchase("9", token: ErasureWorld.tokens.bob, bundleId: "com.example.other")] {
            let checked = await world.shop.ledger.check(Array(purchase.text.utf8), source: .file)
            _ = try await world.shop.ledger.append([checked], source: .file)
        }
        #expect(try Quarantine.measure(folder.quarantine).items == 2)
        try Folder(folder.imports).create()
        let rows = [
            #"{"role":"backend","key":null}"#, #"{"originalTransactionId":"1","customerId":"alice@example.com"}"#,
            #"{"originalTransactionId":"3","customerId":"bob"}"#,
            #"{"originalTransactionId":"1","appAccountToken":"\#(ErasureWorld.tokens.alice.uppercased())"}"#,
            #"{"jws":"\#(other.text)"}"#,
        ]
        let path = folder.imports + "/" + String(repeating: "ab", count: 32) + ".rows"
        try AtomicFile.write(Array(rows.map { $0 + "\n" }.joined().utf8), to: path)
        let answer = try await world.erase()
        #expect(answer.quarantined == 1 && answer.importRows == 3)
        #expect(try Quarantine.measure(folder.quarantine).items == 1)
        let left = try #require(try AtomicFile.read(path, limit: 1 << 20))
        #expect(String(decoding: left, as: UTF8.self) == rows[0] + "\n\n" + rows[2] + "\n\n\n")
    }

    @Test func `refuses writes meanwhile and answers reads`() async throws {
        let world = try await ErasureWorld()
        let (reader, ledger) = (world.shop.reader, world.shop.ledger)
        let rows = try world.subscriptions()
        let seen = AsyncStream.makeStream(of: Bool.self)
        let purchase = Array(Purchase("5").text.utf8)
        let checked = await ledger.check(purchase, source: .file)
        let answer = try await ledger.erase(ErasureWorld.alice, withEvidence: true, by: .admin) { share in
            // Half way, the log is replaced and the facts are not.
            guard share == 0.5 else { return }
            let state = try? reader.state(
                of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: TestLedger.now))
            seen.continuation.yield(state != nil)
        }
        seen.continuation.finish()
        #expect(answer.erased)
        var isRead = false
        for await found in seen.stream { isRead = found }
        #expect(isRead)
        #expect(try world.subscriptions() == rows)
        // Writing continues afterwards.
        guard case .appended = try await ledger.append([checked], source: .file)[0] else {
            Issue.record("it was refused")
            return
        }
        try await ledger.log.pause()
        await #expect(throws: StorageError(.busy, "")) { _ = try await world.shop.post(Purchase("6")) }
        await #expect(throws: StorageError(.busy, "")) { _ = try await world.erase("bob") }
        ledger.log.resume()
        _ = try await world.shop.post(Purchase("6"), customerId: "erin")
    }
}

@Suite struct `An erasure without evidence` {
    @Test func `forgets the id, and lets the next customer have the purchases`() async throws {
        let world = try await ErasureWorld()
        let before = try world.subscriptions()
        let answer = try await world.erase(withEvidence: false)
        #expect(answer.erased && answer.evidence == 0)
        func requireErased() throws {
            let unknown = try world.shop.customer(ErasureWorld.alice)
            #expect(unknown.purchases.isEmpty && unknown["entitled"]?.bool == false)
            #expect(try world.subscriptions() == before)
            // Apple's data still has the token.
            #expect(try world.shop.purchases(of: ErasureWorld.tokens.alice) == ["1"])
        }
        try requireErased()
        try world.shop.reopen()
        try requireErased()
        let report = try await world.audit(signatures: true)
        #expect(report.firstBad == nil && report.erased == 0)
        try await world.shop.post(Purchase("2", number: 3), customerId: "dora")
        #expect(try world.shop.purchases(of: "dora") == ["2"])
        #expect(try world.shop.conflicts(of: "dora").isEmpty)
    }

    @Test func `voids a transfer, and gives the purchase to nobody who had it before`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "bob")
        _ = try await shop.ledger.transfer(
            SubscriptionSelector(originalTransactionId: "1"), to: "alice", by: .admin, scope: CustomerScope(),
            source: .operator)
        _ = try await shop.ledger.erase("alice", withEvidence: false, by: .admin)
        #expect(try shop.purchases(of: "bob").isEmpty)
        try await shop.post(Purchase("1", number: 2), customerId: "carol")
        #expect(try shop.purchases(of: "carol") == ["1"])
    }

    @Test func `includes the customers merged into this one`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        try await shop.post(Purchase("2"), customerId: "al")
        _ = try await shop.ledger.merge(.id("al"), into: "alice", by: .admin, scope: CustomerScope(), source: .operator)
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try await shop.ledger.erase("al", withEvidence: false, by: .admin).erased)
        for id in ["alice", "al", handle] { #expect(try shop.purchases(of: id).isEmpty, "\(id)") }
        try await shop.post(Purchase("1", number: 2), Purchase("2", number: 2), customerId: "dora")
        #expect(try shop.purchases(of: "dora") == ["1", "2"])
    }
}
