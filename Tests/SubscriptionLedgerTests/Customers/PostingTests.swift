import AppStoreModel
import EventLog
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

struct PostingTests {
    @Test func `what is posted is appended with its links, and may be finished`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1"), Purchase("2"), Purchase("1", number: 2), customerId: "alice")
        #expect(outcome.finish.map(\.transactionId) == ["11", "21", "12"])
        #expect(outcome.finish.map(\.originalTransactionId) == ["1", "2", "1"])
        #expect(outcome.duplicates.isEmpty && outcome.refused.isEmpty && !outcome.isEverythingRefused)
        #expect(try outcome.answer.purchases == ["1", "2"])
        #expect(
            try shop.events().map(\.kind) == [
                .transactionVerified, .transactionVerified, .transactionVerified, .customerLinked, .customerLinked,
            ])
        try shop.reopen()
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: "bob").isEmpty)
    }

    @Test func `a link tells whose it is, by a handle, and on whose word`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        let link = try #require(try shop.events(.customerLinked).first)
        let body = try JSONDocument(parsing: link.body).root
        let handle = try #require(body["handle"]?.string.flatMap { Hex.decode($0) })
        #expect(
            String(decoding: link.body, as: UTF8.self)
                == #"{"bundleId":"com.example.app","by":"app","environment":"Production","handle":"\#(Hex.encode(handle))","originalTransactionId":"1"}"#
        )
        #expect(link.trust == .own && link.source == .http && link.environment == .production)
        #expect(link.artifact == .none && link.evidenceLength == 0)
        // SHA-256("subledger" 0x00 artifact environment key), key = handle ‖ SHA-256 of the RFC 8785 array.
        let key = Digest.sha256(of: Array(#"["Production","com.example.app","1"]"#.utf8))
        let idempotencyKey = Digest.sha256(of: Array("subledger".utf8) + [0, 0, 1] + handle + key.bytes)
        #expect(link.idempotencyKey.bytes == Array(idempotencyKey.bytes.prefix(16)))
    }

    @Test func `the same again appends nothing, and is named a duplicate`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.events().count
        let again = try await shop.post(Purchase("1"), Purchase("1"), customerId: "alice")
        #expect(again.finish.map(\.transactionId) == ["11", "11"])
        #expect(again.duplicates.map(\.transactionId) == ["11", "11"])
        #expect(try shop.events().count == size)
    }

    @Test func `twice in one posting is once, and a duplicate`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1"), Purchase("1"), customerId: "alice")
        #expect(outcome.duplicates.map(\.transactionId) == ["11"])
        #expect(try shop.events().map(\.kind) == [.transactionVerified, .customerLinked])
    }

    @Test func `a known transaction posted with a new customer still links`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        let outcome = try await shop.post(Purchase("1"), customerId: "alice")
        #expect(outcome.finish.count == 1 && outcome.duplicates.count == 1)
        #expect(try outcome.answer.purchases == ["1"])
        #expect(try shop.events().map(\.kind) == [.transactionVerified, .customerLinked])
    }

    @Test func `a losing claim is an answer and an event`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let outcome = try await shop.post(Purchase("1", number: 2), customerId: "bob")
        #expect(outcome.finish.map(\.transactionId) == ["12"], "it is durable, whosever it is")
        #expect(outcome.refused.map(\.index) == [0])
        #expect(outcome.refusedCodes == ["link_refused"])
        #expect(!outcome.isEverythingRefused)
        #expect(try outcome.answer.purchases.isEmpty)
        #expect(try shop.purchases(of: "alice") == ["1"])
        let refused = try shop.events(.linkRefused)
        #expect(refused.count == 1)
        #expect(try JSONDocument(parsing: refused[0].body).root["code"]?.string == "link_refused")
        #expect(refused[0].trust == .own)

        try await shop.post(Purchase("1", number: 2), customerId: "bob")
        #expect(try shop.events(.linkRefused).count == 1, "while nothing changes it is refused once")
    }

    @Test func `a stronger key's word wins, an equal one's and a weaker one's do not`() async throws {
        let shop = try TestLedger()
        #expect(try await shop.post(Purchase("1"), customerId: "alice", by: .app).refused.isEmpty)
        #expect(try await shop.post(Purchase("1"), customerId: "bob", by: .app).refusedCodes == ["link_refused"])
        #expect(try await shop.post(Purchase("1"), customerId: "bob", by: .backend).refused.isEmpty)
        #expect(try await shop.post(Purchase("1"), customerId: "alice", by: .app).refusedCodes == ["link_refused"])
        #expect(try await shop.post(Purchase("1"), by: .backend).refusedCodes == ["link_refused"])
        #expect(try shop.purchases(of: "alice").isEmpty)
        #expect(try shop.purchases(of: "bob") == ["1"])
    }

    @Test func `the event names the key that caused it`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: Caller(.backend, keyName: "web"))
        try await shop.post(Purchase("1"), customerId: "bob", by: Caller(.backend, keyName: "shop"))
        let keys = try [EventKind.customerLinked, .linkRefused].flatMap { try shop.events($0) }.map {
            try JSONDocument(parsing: $0.body).root["key"]?.string
        }
        #expect(keys == ["web", "shop"])
    }

    @Test func `an app names a customer by a token of its backend, never by an id`() async throws {
        let shop = try TestLedger()
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.post(
                TransactionPosting(signedTransactions: [Purchase("1").text], customerId: "bob"), by: .app)
        }
        #expect(error?.code == .roleForbidden)
        #expect(try shop.events().isEmpty)
    }

    @Test func `an app is answered about what it posted and owns, only`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "bob")
        let outcome = try await shop.post(Purchase("2"), customerId: "bob", by: .app)
        #expect(try outcome.answer.purchases == ["2"])
        let stranger = try await shop.post(Purchase("1"), by: .app)
        #expect(try stranger.answer.purchases.isEmpty)
    }

    @Test func `a refused link of an app makes no customer`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.events().count
        let outcome = try await shop.post(Purchase("1"), customerId: "mallory", by: .app)
        #expect(outcome.refusedCodes == ["link_refused"])
        #expect(try outcome.answer.purchases.isEmpty)
        #expect(try shop.events().count == size)
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.merge(
                .id("mallory"), into: "alice", by: .admin, scope: CustomerScope(), source: .operator)
        }
        #expect(error?.code == .customerUnknown)
    }

    @Test func `a limited key posts for its apps and environments, only`() async throws {
        let shop = try TestLedger()
        let caller = Caller(.backend, limits: KeyLimits(bundleIds: [Purchase.bundleId], environments: [.sandbox]))
        let outcome = try await shop.post(
            Purchase("1"), Purchase("2", environment: .sandbox), customerId: "alice", by: caller)
        #expect(outcome.refusedCodes == ["environment_mismatch"])
        #expect(outcome.finish.map(\.originalTransactionId) == ["2"])
    }

    @Test func `a customer's claim becomes as strong as the strongest word for it`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        try await shop.post(Purchase("1"), customerId: "alice", by: .backend)
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        #expect(try shop.events(.customerLinked).count == 2)
        #expect(try await shop.post(Purchase("1"), customerId: "bob", by: .backend).refusedCodes == ["link_refused"])
    }

    @Test func `under move the last one posted for owns it, back and forth`() async throws {
        let shop = try TestLedger(claimConflict: .move)
        for customer in ["alice", "bob", "alice", "bob"] {
            #expect(try await shop.post(Purchase("1"), customerId: customer).refused.isEmpty)
            #expect(try shop.purchases(of: customer) == ["1"])
            #expect(try shop.purchases(of: customer == "bob" ? "alice" : "bob").isEmpty)
        }
        try shop.reopen()
        #expect(try shop.purchases(of: "bob") == ["1"])
    }

    @Test func `under share all of them own it`() async throws {
        let shop = try TestLedger(claimConflict: .share)
        try await shop.post(Purchase("1"), customerId: "alice")
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refused.isEmpty)
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.purchases(of: "bob") == ["1"])
    }

    @Test func `purchases in the sandbox and in production stay apart`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("1", environment: .sandbox), customerId: "bob")
        let environments = try ["alice", "bob"].map { customer in
            try [Environment.production, .sandbox].map { environment in
                try shop.customer(customer, environment: environment).purchases
            }
        }
        #expect(environments == [[["1"], []], [[], ["1"]]])
    }
}

struct RefusedPostingTests {
    @Test func `what is refused is named by its place, with advice, and the rest is taken`() async throws {
        let shop = try TestLedger()
        let texts = [Purchase("1").text, "no JWS", Purchase("2", bundleId: "com.example.other").text]
        let outcome = try await shop.ledger.post(
            TransactionPosting(signedTransactions: texts, receipt: "no receipt", customerId: "alice"), by: .backend)
        #expect(outcome.refused.map(\.index) == [1, 2, nil])
        #expect(outcome.refused.map(\.part) == [nil, nil, "receipt"])
        #expect(outcome.refusedCodes == ["jws_malformed", "bundle_mismatch", "cms_malformed"])
        #expect(outcome.refused.allSatisfy { !$0.advice.isEmpty && !$0.reason.isEmpty })
        #expect(outcome.finish.map(\.transactionId) == ["11"])
        #expect(!outcome.isEverythingRefused)
        #expect(try outcome.json.view["refused"]?.elements?.map { $0["index"]?.integer } == [1, 2, nil])
    }

    @Test func `when everything is refused nothing is appended and no customer is made`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.ledger.post(
            TransactionPosting(signedTransactions: ["no JWS"], receipt: "no receipt", customerId: "alice"), by: .backend
        )
        #expect(outcome.isEverythingRefused)
        #expect(outcome.customer == nil)
        #expect(try shop.events().isEmpty)
    }

    @Test func `a refused transaction is quarantined as any refused artifact is`() async throws {
        let shop = try TestLedger()
        let foreign = Purchase("2", bundleId: "com.example.other")
        #expect(try await shop.post(foreign, customerId: "alice").isEverythingRefused)
        #expect(try shop.ledger.quarantine.size().items == 1)
    }

    @Test func `another signed artifact is no transaction`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.ledger.post(
            TransactionPosting(signedTransactions: [Purchase.appTransaction()]), by: .backend)
        #expect(outcome.refusedCodes == ["kind_unknown"])
    }

    @Test func `a transaction whose ids no event could hold is refused`() async throws {
        let shop = try TestLedger()
        let long = Purchase(String(repeating: "\u{1}", count: 600))
        #expect(try await shop.post(long, customerId: "alice").refusedCodes == ["claim_missing"])
        // An artifact signed by Apple is quarantined if it cannot be appended.
        #expect(try shop.ledger.quarantine.size().items == 1)
        let longest = Purchase(String(repeating: "\u{1}", count: 487))
        #expect(try await shop.post(longest, customerId: "alice").refused.isEmpty)
    }

    @Test func `an app transaction is appended, and linked to the customer`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.ledger.post(
            TransactionPosting(signedTransactions: [], signedAppTransaction: Purchase.appTransaction()), by: .app)
        #expect(outcome.finish.isEmpty && outcome.refused.isEmpty && !outcome.isEverythingRefused)
        #expect(try shop.events().map(\.kind) == [.appTransactionVerified, .customerLinked])
        let refused = try await shop.ledger.post(
            TransactionPosting(signedTransactions: [], signedAppTransaction: Purchase("1").text), by: .app)
        #expect(refused.refused.map(\.part) == ["signedAppTransaction"])
    }

    @Test(arguments: [".", ".."])
    func `a dot segment is no id, since no URL names it`(id: String) async throws {
        let shop = try TestLedger()
        let error = await #expect(throws: CustomerError.self) { try await shop.post(Purchase("1"), customerId: id) }
        #expect(error?.code == .customerIdInvalid)
        #expect(throws: CustomerError.self) { try shop.customer(id) }
        #expect(try shop.events().isEmpty)
        for id in ["...", "a.", ".a", "./"] {
            #expect(try await shop.post(Purchase("1"), customerId: id).customer?.id == id)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 257)])
    func `an id must have 1 to 256 bytes, and is not repeated`(id: String) async throws {
        let shop = try TestLedger()
        let error = await #expect(throws: CustomerError.self) { try await shop.post(Purchase("1"), customerId: id) }
        #expect(error?.code == .customerIdInvalid)
        #expect(throws: CustomerError.self) { try shop.customer(id) }
        #expect(id.isEmpty || !"\(String(describing: error))".contains(id))
        #expect(try shop.events().isEmpty)
    }

    @Test(arguments: ["00", "zz", String(repeating: "0", count: 32)])
    func `an unknown handle is refused`(handle: String) async throws {
        let shop = try TestLedger()
        await #expect(throws: CustomerError.self) { try await shop.post(Purchase("1"), handle: handle) }
        #expect(try shop.events().isEmpty)
    }

    @Test(arguments: ["{}", #"{"signedTransactions":[]}"#, #"{"receipt":null}"#], [Caller.app, .backend])
    func `a posting of nothing is answered and stores nothing`(body: String, caller: Caller) async throws {
        let shop = try TestLedger()
        _ = try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.events().count
        var posting = try TransactionPosting(body: JSONDocument(parsing: Array(body.utf8)).root)
        let nobody = try await shop.ledger.post(posting, by: caller)
        #expect(!nobody.isEverythingRefused && nobody.finish.isEmpty && nobody.refused.isEmpty)
        let answer = try #require(nobody.json.view["customer"])
        #expect(answer["entitled"]?.bool == false && answer["handle"]?.isNull ?? true && answer["id"]?.isNull ?? true)
        guard caller.role != .app else {
            #expect(try shop.events().count == size)
            return
        }
        posting.customerId = "alice"
        let alice = try await shop.ledger.post(posting, by: caller).json.view["customer"]
        #expect(alice?.purchases == ["1"] && alice?["id"]?.string == "alice")
        posting.customerId = "bob"
        #expect(try await shop.ledger.post(posting, by: caller).json.view["customer"]?["id"]?.string == "bob")
        #expect(try shop.events().count == size)
    }

    @Test func `a posting of nothing by a handle is answered with its purchases`() async throws {
        let shop = try TestLedger()
        let first = try await shop.post(Purchase("1"))
        let handle = try #require(first.json.view["customer"]?["handle"]?.string)
        let size = try shop.events().count
        let answer = try await shop.post(handle: handle).json.view["customer"]
        #expect(answer?["handle"]?.string == handle && answer?.purchases == ["1"])
        #expect(try shop.events().count == size)
        _ = try await shop.post(Purchase("2"), customerId: "alice")
        let error = await #expect(throws: CustomerError.self) {
            try await shop.post(customerId: "alice", handle: handle)
        }
        #expect(error?.code == .customerConflict)
    }

    /// The body, and the value that the error reports as found.
    private static let malformed = [
        ("[]", "an array"), (#"{"signedTransactions":"x"}"#, "a string"),
        (#"{"signedTransactions":["x",1]}"#, "a number at index 1"),
        (#"{"signedTransactions":["x"],"customerId":7}"#, "a number"), (#"{"receipt":true}"#, "a boolean"),
        (#"{"signedTransactions":["x"],"deviceGUID":{}}"#, "an object"),
        (#"{"signedTransactions":["x"],"customerId":"a","customerToken":"b"}"#, "both"),
        (#"{"signedTransactions":["x"],"customerID":"a"}"#, "customerID"),
        (#"{"signedTransactions":["x"],"more":null}"#, "more"),
        (#"{"signedTransactions":["x"],"":1}"#, ""),
    ]

    @Test(arguments: malformed)
    func `a malformed body is refused with what was found`(body: String, found: String) throws {
        let view = try JSONDocument(parsing: Array(body.utf8)).root
        let error = #expect(throws: CustomerError.self) { try TransactionPosting(body: view) }
        #expect(error?.code == .postingMalformed)
        #expect(error?.found == found)
        #expect(error?.expected?.isEmpty == false)
    }

    @Test func `a body of more than a hundred transactions is malformed`() throws {
        func body(_ count: Int) throws -> JSONView {
            try JSONValue.object(["signedTransactions": .array(.init(repeating: .string("x"), count: count))]).view
        }
        #expect(try TransactionPosting(body: body(100)).signedTransactions.count == 100)
        let error = #expect(throws: CustomerError.self) { try TransactionPosting(body: body(101)) }
        #expect(error?.found == "101")
    }

    @Test func `a body may leave members out or null`() throws {
        let text = #"{"signedTransactions":["x"],"signedAppTransaction":null,"customerId":"a","handle":null}"#
        let posting = try TransactionPosting(body: JSONDocument(parsing: Array(text.utf8)).root)
        #expect(posting.signedTransactions == ["x"] && posting.signedAppTransaction == nil && posting.receipt == nil)
        #expect(posting.customerId == "a" && posting.handle == nil)
    }
}
