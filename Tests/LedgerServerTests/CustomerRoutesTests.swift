import AppStoreSimulation
import EventLog
import HTTPTypes
import HummingbirdTesting
import LedgerConfiguration
import Primitives
import SubscriptionLedger
import Testing

@Suite struct CustomerRoutesTests {
    private static func posting(_ transactions: [String], _ members: [JSONValue.Member] = []) -> [UInt8] {
        let transactions = JSONValue.array(transactions.map { .string($0) })
        return Array(JSONValue.object([.init("signedTransactions", transactions)] + members).serialized().utf8)
    }

    @Test func `what a device posts may be finished, and is the customer's from then on`() async throws {
        let test = try TestLedger()
        let transactions = Sample.notifications().map(\.transactionText)
        try await test.calls { client in
            let body = Self.posting(transactions, [.init("customerId", .string("al/ice@example.com"))])
            let answer = try await client.post("/v1/transactions", body)
            #expect(answer.status == .ok)
            let json = try answer.json()
            #expect(json.members.map(\.key) == ["finish", "duplicates", "refused", "customer"])
            #expect(json["finish"]?.elements?.count == transactions.count)
            #expect(json["duplicates"]?.elements?.count == 0)
            #expect(json["finish"]?.elements?.first?["originalTransactionId"]?.string == Sample.originalTransactionId)

            let again = try await client.post("/v1/transactions", body).json()
            #expect(again["finish"]?.elements?.count == transactions.count)
            #expect(again["duplicates"]?.elements?.count == transactions.count)

            let customer = try await client.get("/v1/customers/al%2Fice%40example.com")
            #expect(customer.status == .ok)
            #expect(try customer.json()["id"]?.string == "al/ice@example.com")
            let row = try customer.json()["subscriptions"]?.elements?.first
            #expect(row?["status"]?.string == "active")
            #expect(row?["entitled"]?.bool == true)
        }
    }

    @Test func `the state asked for is that of the instant asked for`() async throws {
        let test = try TestLedger()
        let body = Self.posting(
            Sample.notifications().map(\.transactionText), [.init("customerId", .string("alice"))])
        try await test.calls { client in
            _ = try await client.post("/v1/transactions", body)
            let later = try await client.get("/v1/customers/alice?asOf=2026-01-01").json()
            #expect(later["asOf"]?.string == "2026-01-01T00:00:00.000Z")
            #expect(later["subscriptions"]?.elements?.first?["status"]?.string == "expired")
            let unknown = try await client.get("/v1/customers/alice?knownAt=0").json()
            #expect(unknown["subscriptions"]?.elements?.count == 0)
        }
    }

    @Test func `a log size ahead of the log is 409, an instant in the future is not`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let size = try test.ledger.reader.log.size()
        let id = Sample.originalTransactionId
        try await test.calls { client in
            for path in [
                "customers/a", "customers/a/history", "subscriptions/\(id)", "subscriptions/\(id)/history",
                "subscriptions/\(id)/customer", "subscriptions/unknown",
            ] {
                for ahead in [size + 1, 99_999_999_999] {
                    let answer = try await client.get("/v1/\(path)?knownAt=\(ahead)")
                    try answer.expectProblem("known_at_ahead", .conflict)
                    #expect(try answer.json()["expected"]?.string == "at most \(size)")
                    #expect(try answer.json()["found"]?.string == "\(ahead)")
                }
                let found: HTTPResponse.Status = path.hasSuffix("unknown") ? .notFound : .ok
                for known in ["\(size)", "2100-01-01", "4102444800000"] {
                    #expect(try await client.get("/v1/\(path)?knownAt=\(known)").status == found)
                }
            }
        }
    }

    @Test func `to an unknown id everything is new`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let answer = try await client.get("/v1/customers/nobody")
            #expect(answer.status == .ok)
            let json = try answer.json()
            #expect(
                json.members.map(\.key) == [
                    "id", "asOf", "knownAt", "entitled", "entitlements", "subscriptions", "products", "groups",
                    "purchases",
                    "offers", "conflicts", "nextStep", "nextSteps",
                ])
            #expect(json["entitled"]?.bool == false)
            #expect(json["subscriptions"]?.elements?.isEmpty == true)
        }
    }

    @Test func `a customer is read by its handle, with the history`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let json: HTTPFields = [.contentType: "application/json"]
        let body = Self.posting([try #require(Sample.notifications().first).transactionText])
        try await test.calls { client in
            let posted = try await client.post("/v1/transactions", body, TestKey(.app).headers + json).json()
            let handle = try #require(posted["customer"]?["handle"]?.string)
            for key in TestKey.all where key.role != .app {
                let customer = try await client.get("/v1/customers/\(handle)", key.headers).json()
                #expect(customer["id"]?.isNull == true && customer["handle"]?.string == handle)
                #expect(customer["subscriptions"]?.elements?.count == 1)
                let history = try await client.get("/v1/customers/\(handle)/history", key.headers).json()
                #expect(history["subscriptions"]?.elements?.count == 1)
            }
            try await client.get("/v1/customers/\(handle)", TestKey(.app).headers)
                .expectProblem("role_forbidden", .forbidden)
        }
    }

    @Test func `an anonymous customer becomes a known one, once`() async throws {
        let test = try TestLedger()
        let transactions = [try #require(Sample.notifications().first).transactionText]
        try await test.calls { client in
            let posted = try await client.post("/v1/transactions", Self.posting(transactions)).json()
            let handle = try #require(posted["customer"]?["handle"]?.string)
            let body = JSONValue.object(["handle": .string(handle)]).serialized().utf8
            let known = try await client.post("/v1/customers/alice/identify", body)
            #expect(known.status == .ok)
            #expect(try known.json()["subscriptions"]?.elements?.count == 1)
            #expect(try await client.get("/v1/customers/alice").json()["subscriptions"]?.elements?.count == 1)
        }
    }

    @Test func `only an administrator merges two known customers`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let body = Self.posting(
            [try #require(Sample.notifications().first).transactionText], [.init("customerId", .string("alice"))])
        let json: HTTPFields = [.contentType: "application/json"]
        try await test.calls { client in
            let backend = TestKey(.backend).headers + json
            _ = try await client.post("/v1/transactions", body, backend)
            let anonymous = try await client.post(
                "/v1/transactions", Self.posting([Sample.notifications()[1].transactionText]), backend)
            let handle = try #require(try anonymous.json()["customer"]?["handle"]?.string)
            let identify = JSONValue.object(["handle": .string(handle)]).serialized().utf8
            #expect(try await client.post("/v1/customers/bob/identify", identify, backend).status == .ok)
            try await client.post("/v1/customers/carol/identify", identify, backend)
                .expectProblem("customer_conflict", .conflict)
            let admin = TestKey(.admin).headers + json
            try await client.post("/v1/customers/carol/identify", identify, admin)
                .expectProblem("customer_conflict", .conflict)
            let asked = JSONValue.object(["handle": .string(handle), "merge": .bool(true)]).serialized().utf8
            try await client.post("/v1/customers/carol/identify", asked, backend)
                .expectProblem("customer_conflict", .conflict)
            let merged = try await client.post("/v1/customers/carol/identify", asked, admin)
            #expect(merged.status == .ok)
            #expect(try merged.json()["merged"]?["handle"]?.string?.count == 32)
        }
    }

    @Test func `what is refused is told one by one, and all refused is 403`() async throws {
        let test = try TestLedger()
        let good = try #require(Sample.notifications().first?.transaction)
        try await test.calls { client in
            let mixed = try await client.post("/v1/transactions", Self.posting([good.forged.text, good.text]))
            #expect(mixed.status == .ok)
            let refused = try mixed.json()["refused"]?.elements?.first
            #expect(refused?["index"]?.integer == 0)
            #expect(refused?["code"]?.string == "signature_invalid")
            #expect(refused?["advice"]?.string?.isEmpty == false)

            let all = try await client.post("/v1/transactions", Self.posting([good.forged.text]))
            #expect(all.status == .forbidden)
            #expect(all.headers[.contentType] == "application/json")
            #expect(try all.json()["refused"]?.elements?.count == 1)
            #expect(try all.json()["finish"]?.elements?.count == 0)
        }
    }

    @Test(
        arguments: [
            ("{", "payload_not_json"), ("[]", "posting_malformed"),
            (#"{"signedTransactions":"a"}"#, "posting_malformed"),
            (#"{"signedTransactions":[1]}"#, "posting_malformed"),
            (#"{"signedTransactions":["a"],"customerId":3}"#, "posting_malformed"),
            (#"{"signedTransactions":["a"],"customerId":""}"#, "customer_id_invalid"),
            (#"{"signedTransactions":["a"\#(String(repeating: #","a""#, count: 100))]}"#, "posting_malformed"),
        ])
    func `a posting that cannot be meant is 400`(_ body: String, _ code: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.post("/v1/transactions", body.utf8).expectProblem(code, .badRequest)
        }
    }

    @Test func `an unknown handle is 404, for posting and for identifying`() async throws {
        let test = try TestLedger()
        let good = try #require(Sample.notifications().first).transactionText
        let handle = JSONValue.Member("handle", .string(String(repeating: "0", count: 32)))
        try await test.calls { client in
            try await client.post("/v1/transactions", Self.posting([good], [handle]))
                .expectProblem("handle_unknown", .notFound)
            try await client.post("/v1/customers/a/identify", JSONValue.object([handle]).serialized().utf8)
                .expectProblem("handle_unknown", .notFound)
        }
    }

    /// The route, the body, and the value that the problem reports as found.
    private static let unknownMembers = [
        ("transactions", #"{"signedTransactions":["a"],"customerID":"typo"}"#, "customerID"),
        ("customers/a/identify", #"{"handle":"a","Merge":true}"#, "Merge"),
        ("customers/a/link", #"{"subscription":"1","bundleID":"b"}"#, "bundleID"),
        ("customers/a/merge", #"{"from":"b","to":"c"}"#, "to"),
        ("customers/a/unmerge", #"{"from":"b","subscription":"1"}"#, "subscription"),
        ("customers/a/transfer", #"{"subscription":"1","handle":"c"}"#, "handle"),
        ("customers/a/link", #"{"subscription":"1","bundleId":5}"#, "a number"),
        ("customers/a/link", #"{"subscription":"1","environment":["Sandbox"]}"#, "an array"),
        ("customers/a/link", #"{"subscription":""}"#, "an empty string"),
        ("customers/a/merge", #"{"from":"b","handle":"c"}"#, "both"),
        ("customers/a/merge", #"{"from":null}"#, "neither"),
        ("customers/a/identify", #"{"handle":"a","merge":"true"}"#, "a string"),
    ]

    @Test(arguments: unknownMembers)
    func `a body with an unknown or mistyped member changes nothing`(
        _ route: String, _ body: String, _ found: String
    ) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let answer = try await client.post("/v1/\(route)", body.utf8)
            try answer.expectProblem("posting_malformed", .badRequest)
            #expect(try answer.json()["found"]?.string == found)
            #expect(try answer.json()["expected"]?.string?.isEmpty == false)
        }
        #expect(try test.ledger.reader.log.size() == 0)
    }

    @Test func `the App Store may add members to its notifications`() async throws {
        let test = try TestLedger()
        let body = try #require(Sample.notifications().first?.body)
        let more = String(decoding: body, as: UTF8.self).replacing("{", with: #"{"added":[1],"#, maxReplacements: 1)
        try await test.calls { client in
            let answer = try await client.post("/v1/app-store/notifications", more.utf8)
            #expect(answer.status == .ok)
        }
    }

    @Test(arguments: ["[]", "{}", #"{"handle":1}"#, #"{"handle":"a","merge":1}"#])
    func `identifying needs a handle`(_ body: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.post("/v1/customers/a/identify", body.utf8)
                .expectProblem("posting_malformed", .badRequest)
        }
    }

    @Test func `bodies are bounded and JSON`() async throws {
        let test = try TestLedger()
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 8 * 1_024 * 1_024 + 1)
        try await test.calls { client in
            for uri in ["/v1/transactions", "/v1/customers/a/identify"] {
                try await client.post(uri, large).expectProblem("payload_too_large", .contentTooLarge)
                try await client.post(uri, "{}".utf8, [.contentType: "text/plain"])
                    .expectProblem("media_type_unsupported", .unsupportedMediaType)
            }
        }
    }

    @Test func `a device's posting may fill one megabyte`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let headers = TestKey(.app).headers + [.contentType: "application/json"]
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 1_024 * 1_024 + 1)
        try await test.calls { client in
            try await client.post("/v1/transactions", large, headers)
                .expectProblem("payload_too_large", .contentTooLarge)
            try await client.post("/v1/transactions", large.dropLast(), headers)
                .expectProblem("payload_not_json", .badRequest)
        }
    }

    @Test func `answers say which position they rest on, and may be asked to wait for one`() async throws {
        let test = try TestLedger()
        let body = Self.posting(
            [try #require(Sample.notifications().first).transactionText], [.init("customerId", .string("alice"))])
        let field = try #require(HTTPField.Name("Subledger-Position"))
        try await test.calls { client in
            #expect(try await client.get("/v1/customers/alice?atLeast=-1").headers[field] == "-1")
            let position = try await client.post("/v1/transactions", body).headers[field]
            #expect(position == "1")
            let subscription = "subscriptions/\(Sample.originalTransactionId)"
            for uri in [
                "customers/alice", "customers/alice/history", subscription, subscription + "/history",
                subscription + "/customer",
            ] {
                let answer = try await client.get("/v1/\(uri)?atLeast=1")
                #expect(answer.status == .ok)
                #expect(answer.headers[field] == "1")
            }
            let early = try await client.get("/v1/customers/alice?atLeast=2")
            try early.expectProblem("position_unknown", .serviceUnavailable)
            #expect(early.headers[.retryAfter] == "1")
        }
    }

    @Test func `an administrator settles who owns a subscription`() async throws {
        let test = try TestLedger()
        let transactions = Self.posting(
            [try #require(Sample.notifications().first).transactionText], [.init("customerId", .string("alice"))])
        let id = Sample.originalTransactionId
        try await test.calls { client in
            _ = try await client.post("/v1/transactions", transactions)
            let refused = try await client.post("/v1/customers/bob/link", #"{"subscription":"\#(id)"}"#.utf8)
            try refused.expectProblem("link_refused", .conflict)
            let conflicts = try #require(try await client.get("/v1/customers/bob").json()["conflicts"]?.elements)
            #expect(conflicts.map { $0["with"]?.string } == ["alice"])
            let moved = try await client.post("/v1/customers/bob/transfer", #"{"subscription":"\#(id)"}"#.utf8).json()
            #expect(moved["subscriptions"]?.elements?.count == 1)
            #expect(moved["conflicts"]?.elements?.count == 0)
            let owner = try await client.get("/v1/subscriptions/\(id)/customer").json()
            #expect(owner["id"]?.string == "bob" && owner["handle"] == nil)
            #expect(owner["subscriptions"]?.elements?.count == 1)
            let merged = try await client.post("/v1/customers/alice/merge", #"{"from":"bob"}"#.utf8).json()
            #expect(merged["subscriptions"]?.elements?.count == 1 && merged["merged"] != nil)
            let undone = try await client.post("/v1/customers/alice/unmerge", #"{"from":"bob"}"#.utf8).json()
            #expect(undone["subscriptions"]?.elements?.count == 0 && undone["unmerged"] != nil)
            let history = try await client.get("/v1/customers/bob/history").json()
            #expect(history["subscriptions"]?.elements?.count == 1)
        }
    }

    @Test(
        arguments: [
            ("link", "{}", "posting_malformed"), ("link", #"{"subscription":"9"}"#, "subscription_unknown"),
            ("transfer", #"{"subscription":"9","environment":"Moon"}"#, "posting_malformed"),
            ("merge", "{}", "posting_malformed"), ("merge", #"{"from":"a","handle":"b"}"#, "posting_malformed"),
            ("merge", #"{"from":"nobody"}"#, "customer_unknown"),
            ("unmerge", #"{"from":"nobody"}"#, "customer_unknown"),
            ("merge", #"{"from":".."}"#, "customer_id_invalid"),
        ])
    func `a change that cannot be made says why`(_ change: String, _ body: String, _ code: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let answer = try await client.post("/v1/customers/a/\(change)", body.utf8)
            let isBad = ["posting_malformed", "customer_id_invalid"].contains(code)
            try answer.expectProblem(code, isBad ? .badRequest : .notFound)
        }
    }

    @Test func `a posting may fill eight megabytes`() async throws {
        let test = try TestLedger()
        let good = try #require(Sample.notifications().first).transactionText
        let padding = String(repeating: " ", count: 8 * 1_024 * 1_024 - 100 - good.utf8.count)
        let body = "{\"signedTransactions\":[\"\(good)\"]\(padding)}"
        try await test.calls { client in
            let answer = try await client.post("/v1/transactions", body.utf8)
            #expect(answer.status == .ok)
        }
    }
}

extension HTTPFields {
    static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
        var all = left
        all.append(contentsOf: right)
        return all
    }
}
