import AppStoreModel
import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An export of RevenueCat` {
    /// The 44 columns of version 5.
    private static let columns = [
        "rc_original_app_user_id", "rc_last_seen_app_user_id_alias", "country", "country_source", "product_identifier",
        "product_display_name", "product_duration", "start_time", "end_time", "grace_period_end_time",
        "effective_end_time", "store", "is_auto_renewable", "is_trial_period", "is_in_intro_offer_period",
        "is_sandbox", "price_in_usd", "purchase_price_in_usd", "takehome_percentage", "tax_percentage",
        "commission_percentage", "store_transaction_id", "original_store_transaction_id", "refunded_at",
        "unsubscribe_detected_at", "billing_issues_detected_at", "purchased_currency",
        "price_in_purchased_currency", "purchase_price_in_purchased_currency", "entitlement_identifiers",
        "renewal_number", "is_trial_conversion", "presented_offering", "ownership_type",
        "reserved_subscriber_attributes", "custom_subscriber_attributes", "platform", "experiment_id",
        "experiment_variant", "updated_at", "offer", "offer_type", "first_seen_time", "auto_resume_time",
    ]

    private typealias Row = [String: String]

    /// A time as RevenueCat writes it, without milliseconds.
    private static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "" }
        return Instant(milliseconds: milliseconds).iso8601.replacing("T", with: " ").prefix(19).description
    }

    /// The row that a faultless old system has of a transaction.
    private static func row(_ transaction: RecordedTransaction) throws -> Row {
        let payload = try JSONDocument(parsing: transaction.payload).root
        let isRenewable = transaction.type == .autoRenewable
        let isIntro = payload["offerType"]?.integer == 1
        let isFree = payload["offerDiscountType"]?.string == "FREE_TRIAL"
        let price = payload["price"]?.integer
        let isUpgraded = payload["isUpgraded"]?.bool == true
        return [
            "rc_original_app_user_id": "user-\(transaction.originalTransactionId)", "store": "app_store",
            "product_identifier": transaction.productId, "start_time": time(transaction.purchaseDate.milliseconds),
            "end_time": isRenewable ? time(payload["expiresDate"]?.integer) : "",
            "is_auto_renewable": "\(isRenewable)", "is_trial_period": "\(isIntro && isFree)",
            "is_in_intro_offer_period": "\(isIntro && !isFree)", "is_sandbox": "false",
            "store_transaction_id": transaction.transactionId,
            "original_store_transaction_id": transaction.originalTransactionId,
            // RevenueCat notes when it detected a refund.
            "refunded_at": isUpgraded ? "" : time(transaction.revocationDate.map { $0.milliseconds + 3_600_000 }),
            "purchased_currency": payload["currency"]?.string ?? "",
            "purchase_price_in_purchased_currency": price.map { "\(Double($0) / 1_000)" } ?? "",
            "ownership_type": transaction.ownership.rawValue, "renewal_number": "1",
            "custom_subscriber_attributes": #"{"$email":"a@example.com","quote":"say \"hi\",\nplease"}"#,
            "updated_at": "2026-01-01 00:00:00",
        ]
    }

    private static func csv(_ rows: [Row], columns: [String] = columns) -> String {
        func quoted(_ text: String) -> String {
            text.contains { ",\"\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
        }
        let lines = rows.map { row in columns.map { quoted(row[$0] ?? "") }.joined(separator: ",") }
        return ([columns.joined(separator: ",")] + lines).joined(separator: "\n") + "\n"
    }

    /// A ledger with everything that a simulated App Store states, and a faultless export of it.
    private static func takenOver(_ seed: UInt64) async throws -> (ledger: FeedLedger, rows: [Row]) {
        var store = LiveStore(Simulation(seed: seed, customers: 150, store: .lifelike))
        _ = store.advance(to: store.simulation.end)
        let ledger = try FeedLedger(at: store.now)
        let accounts = Set(store.truth(at: store.now).compactMap { store.account(of: $0.originalTransactionId) })
        let transactions = accounts.flatMap { store.record(of: $0).transactions }
            .sorted { $0.transactionId < $1.transactionId }
        let signer = JWSSigner()
        try await ledger.append(transactions.map { signer.sign($0.payload).compact })
        return (ledger, try transactions.map(row))
    }

    private static func compare(_ text: String, _ ledger: FeedLedger, chunk: Int = 1_000) async throws -> [ComparedRow]
    {
        var comparison = try RevenueCatImport(ledger.ledger)
        var rows: [ComparedRow] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            rows += try await comparison.read(Array(bytes[start..<min(start + chunk, bytes.count)]))
        }
        return rows + (try await comparison.finish())
    }

    /// Changes that make a row differ from what Apple signed, by the column that is reported.
    private static let errors: [(column: String, change: @Sendable (inout Row) -> Void)] = [
        ("product_identifier", { $0["product_identifier"] = "pro.wrong" }),
        ("start_time", { $0["start_time"] = "2019-05-01 12:00:00" }),
        ("end_time", { $0["end_time"] = "2019-06-01 12:00:00" }),
        ("is_sandbox", { $0["is_sandbox"] = "true" }),
        ("is_trial_period", { $0["is_trial_period"] = $0["is_trial_period"] == "true" ? "false" : "true" }),
        (
            "is_in_intro_offer_period",
            { $0["is_in_intro_offer_period"] = $0["is_in_intro_offer_period"] == "true" ? "false" : "true" }
        ),
        (
            "is_auto_renewable",
            { $0["is_auto_renewable"] = $0["is_auto_renewable"] == "true" ? "false" : "true" }
        ),
        ("refunded_at", { $0["refunded_at"] = $0["refunded_at"] == "" ? "2025-05-01 00:00:00" : "" }),
        ("store_transaction_id", { $0["store_transaction_id"] = "9" + ($0["store_transaction_id"] ?? "") }),
        (
            "ownership_type",
            { $0["ownership_type"] = $0["ownership_type"] == "PURCHASED" ? "FAMILY_SHARED" : "PURCHASED" }
        ),
    ]

    @Test func `with 200 planted errors differs from the ledger in exactly these`() async throws {
        let seed = TestEnvironment.seed
        let (ledger, faultless) = try await Self.takenOver(seed)
        #expect(faultless.count > 600)
        let size = try ledger.ledger.reader.knownSize(nil)
        let agreed = try await Self.compare(Self.csv(faultless), ledger)
        #expect(agreed.count == faultless.count)
        for row in agreed where row.verdict != ImportVerdict(.known) { Issue.record("\(row.json.serialized())") }

        var generator = SeededGenerator(seed: seed)
        var rows = faultless
        var planted: [String: String] = [:]
        for index in rows.indices.shuffled(using: &generator).prefix(200) {
            let error = Self.errors[planted.count % Self.errors.count]
            error.change(&rows[index])
            planted[rows[index]["store_transaction_id"] ?? ""] = error.column
        }
        let compared = try await Self.compare(Self.csv(rows), ledger, chunk: 77)
        let reported = compared.filter { $0.verdict != ImportVerdict(.known) }
        #expect(reported.count == 200 && planted.count == 200, "seed \(seed)")
        for row in reported {
            let column = planted[row.transactionId ?? ""]
            if row.verdict == ImportVerdict(.unknownId) {
                #expect(column == "store_transaction_id")
            } else {
                #expect(row.disagreements.map(\.column) == [column], "\(row.json.serialized())")
            }
        }
        #expect(
            try ledger.ledger.reader.knownSize(nil) == size + UInt64(faultless.count) + 200,
            "each assertion is an event once")
    }

    @Test func `changes no answer, and puts no id or attribute of a customer into the log`() async throws {
        let (ledger, rows) = try await Self.takenOver(TestEnvironment.seed &+ 1)
        func answers() throws -> [String] {
            try Set(rows.compactMap { $0["original_store_transaction_id"] }).sorted().map { id in
                try #require(
                    try ledger.ledger.reader.state(
                        of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: ledger.clock.now))
                ).json.apartFromPositions
            }
        }
        let before = try answers()
        let size = try ledger.ledger.reader.knownSize(nil)
        var wrong = rows
        for index in wrong.indices { wrong[index]["end_time"] = "2030-01-01 00:00:00" }
        _ = try await Self.compare(Self.csv(wrong), ledger)
        #expect(try answers() == before)
        for position in size..<(try ledger.ledger.reader.knownSize(nil)) {
            let record = try #require(try ledger.ledger.reader.log.record(at: position))
            #expect(record.kind == .rowAsserted && record.trust == .asserted && record.source == .import)
            let body = String(decoding: record.body, as: UTF8.self)
            #expect(!body.contains("user-") && !body.contains("example.com"))
        }
        try ledger.reopen()
        #expect(try answers() == before)
    }

    @Test func `names the customer to whom the ledger assigns a purchase`() async throws {
        let (ledger, rows) = try await Self.takenOver(TestEnvironment.seed &+ 2)
        let row = try #require(
            rows.first { $0["ownership_type"] == "PURCHASED" && $0["is_auto_renewable"] == "true" })
        let id = try #require(row["original_store_transaction_id"])
        let selector = SubscriptionSelector(originalTransactionId: id)
        _ = try await ledger.ledger.transfer(
            selector, to: "someone else", by: .admin, scope: CustomerScope(), source: .operator)
        let compared = try await Self.compare(Self.csv([row]), ledger)
        #expect(compared.first?.disagreements.map(\.column) == ["rc_original_app_user_id"])
        _ = try await ledger.ledger.transfer(
            selector, to: "user-\(id)", by: .admin, scope: CustomerScope(), source: .operator)
        #expect(try await Self.compare(Self.csv([row]), ledger).map(\.verdict) == [ImportVerdict(.known)])
    }

    @Test func `has a verdict on each row, whatever is wrong with it`() async throws {
        let (ledger, rows) = try await Self.takenOver(TestEnvironment.seed)
        let changes: [((inout Row) -> Void, ImportVerdict)] = [
            ({ $0["start_time"] = "yesterday" }, ImportVerdict(.malformed, "start_time")),
            ({ $0["is_sandbox"] = "maybe" }, ImportVerdict(.malformed, "is_sandbox")),
            ({ $0["store_transaction_id"] = "" }, ImportVerdict(.malformed, "store_transaction_id")),
            ({ $0["store"] = "play_store" }, ImportVerdict(.refused, "store_unsupported")),
            (
                { $0["purchase_price_in_purchased_currency"] = "free" },
                ImportVerdict(.malformed, "purchase_price_in_purchased_currency")
            ),
            (
                { $0["rc_original_app_user_id"] = String(repeating: "a", count: 300) },
                ImportVerdict(.malformed, "rc_original_app_user_id")
            ),
            (
                { $0["product_identifier"] = String(repeating: "p", count: 5_000) },
                ImportVerdict(.malformed, "product_identifier")
            ),
            (
                { $0["purchased_currency"] = String(repeating: "e", count: 5_000) },
                ImportVerdict(.malformed, "purchased_currency")
            ),
            (
                {
                    // Each character takes six bytes in an event.
                    for column in ["product_identifier", "store_transaction_id", "original_store_transaction_id"] {
                        $0[column] = String(repeating: "\u{1}", count: 256)
                    }
                }, ImportVerdict(.malformed, "row_too_large")
            ),
            ({ $0["is_sandbox"] = "f" }, ImportVerdict(.known)),
        ]
        for (change, verdict) in changes {
            var row = try #require(rows.first)
            change(&row)
            let compared = try await Self.compare(Self.csv([row]), ledger)
            #expect(compared.map(\.verdict) == [verdict])
            #expect(compared.map(\.line) == [2])
        }
        let cut = Self.csv([rows[0]]) + "\"user,1\n"
        #expect(
            try await Self.compare(cut, ledger).map(\.verdict) == [
                ImportVerdict(.known), ImportVerdict(.malformed, "csv_malformed"),
            ])
        await #expect(throws: CustomerError.self) {
            _ = try await Self.compare(Self.csv([rows[0]], columns: Self.columns.filter { $0 != "store" }), ledger)
        }
    }
}

@Suite struct `CSV records` {
    private static func records(_ text: String, by size: Int) -> [CSVRecords.Record] {
        var records = CSVRecords()
        let bytes = Array(text.utf8)
        var found: [CSVRecords.Record] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += records.read(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return found + (records.finish().map { [$0] } ?? [])
    }

    @Test(
        arguments: [
            ("a,b\nc,d", [(1, ["a", "b"]), (2, ["c", "d"])]),
            ("a,b\r\nc,d\r\n", [(1, ["a", "b"]), (2, ["c", "d"])]),
            ("a,\n,\n", [(1, ["a", ""]), (2, ["", ""])]),
            ("\"a,b\",\"say \"\"hi\"\"\"\n", [(1, ["a,b", "say \"hi\""])]),
            ("\"a\nb\",c\nd,e", [(1, ["a\nb", "c"]), (3, ["d", "e"])]),
            ("\"\"\nx", [(1, [""]), (2, ["x"])]),
            ("\n\r\nx\n\n", [(3, ["x"])]),
            ("", []),
        ] as [(String, [(Int, [String])])])
    func `are read as RFC 4180 has them, however the bytes arrive`(
        _ text: String, _ expected: [(line: Int, fields: [String])]
    ) {
        for size in 1...8 {
            let found = Self.records(text, by: size)
            #expect(found.map(\.line) == expected.map(\.line), "\(text.debugDescription) by \(size)")
            #expect(found.map(\.fields) == expected.map(\.fields), "\(text.debugDescription) by \(size)")
        }
    }

    @Test(arguments: ["\"a", "\"a\"b,c", "a\"b,c"])
    func `that are malformed have no fields`(text: String) {
        #expect(Self.records(text, by: 2).map(\.fields) == [nil])
    }
}
