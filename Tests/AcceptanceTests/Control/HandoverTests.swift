import AppStoreSimulation
import Primitives
import Testing

@Suite("Writing commands beside a running service") struct HandoverTests {
    private let alone: SignedFiles
    private let beside: SignedFiles

    init() throws {
        alone = try SignedFiles()
        beside = try SignedFiles()
    }

    /// Every writing command, with good and bad arguments. `FILE` stands for an archive with that name.
    private static let commands: [[String]] = [
        ["ingest", "mixed"], ["ingest", "mixed", "--format", "table"], ["ingest", "mixed", "--customer", ""],
        ["ingest", "first", "--customer", "alice"], ["ingest", "second", "--customer", "bob"],
        ["ingest", "refused", "--bundle-id", "com.example.other"], ["quarantine", "retry"],
        ["quarantine", "retry", "ff"], ["ingest", "missing"],
        ["customer", "link", "bob", "--subscription", "3"], ["customer", "link", "carol", "--subscription", "1"],
        ["customer", "link", "a/b ?c%2F&ü", "--subscription", "5", "--environment", "Production"],
        ["customer", "link", "", "--subscription", "1"], ["customer", "link", "bob", "--subscription", "9"],
        ["customer", "transfer", "bob", "--subscription", "1", "--format", "table"],
        ["customer", "transfer", "bob", "--subscription", "1", "--bundle-id", "com.example.none"],
        ["customer", "merge", "alice", "--from", "bob"], ["customer", "merge", "alice", "--from", "alice"],
        ["customer", "merge", "alice", "--from", "nobody"], ["customer", "unmerge", "alice", "--from", "bob"],
        ["customer", "unmerge", "alice", "--from", "bob"], ["customer", "identify", "alice", "--handle", "none"],
        ["customer", "grant", "alice", "pro", "--because", "paid \u{E9} \"c\"", "--format", "table"],
        ["customer", "grant", "nobody", "pro", "--until", "2030-01-01", "--because", "a gift"],
        ["customer", "grant", "alice", "", "--because", "a gift"],
        ["customer", "grant", "alice", "pro", "--because", ""],
        ["customer", "grant", "alice", "pro", "--until", "soon", "--because", "a gift"],
        ["quarantine", "drop", "--all"],
    ]

    private static let activations = [
        ["activate", "strict", "--by", "alice"], ["activate", "strict", "--by", "", "--yes"],
        ["activate", "strict", "--by", "\u{E9} \"c\"\\", "--yes"], ["activate", "strict", "--by", "bob"],
        ["activate", "strict", "--by", "bob", "--format", "table"],
        ["activate", "long", "--by", "carol", "--yes", "--format", "table"],
        ["activate", "wrong", "--by", "carol", "--yes"], ["activate", "missing", "--by", "carol", "--yes"],
    ].map { ["project", $0[0], "--rules"] + $0.dropFirst() }

    private static let catalogs = [
        ["catalog", "apply", "products"], ["catalog", "apply", "products"],
        ["catalog", "apply", "products", "--format", "table"], ["catalog", "apply", "contradicting"],
        ["catalog", "apply", "wrong"], ["catalog", "apply", "missing"],
    ]

    private static let imports = [
        ["import", "rows"], ["import", "rows", "--format", "table"], ["import", "missing"],
        ["import", "revenuecat", "export"], ["import", "revenuecat", "export", "--format", "table"],
        ["import", "revenuecat", "rows"], ["import", "revenuecat", "missing"],
    ]

    private static let ratesAndCloses = [
        ["rates", "apply", "exchange"], ["rates", "apply", "exchange"],
        ["rates", "apply", "exchange", "--format", "table"], ["rates", "apply", "wrong"],
        ["rates", "apply", "missing"], ["close", "2020-Q4", "--format", "csv"],
        ["close", "autumn", "--as-of", "2026-10-01", "--currency", "USD", "--format", "csv"],
        ["close", "autumn", "--as-of", "2026-10-01", "--format", "csv"], ["close", "autumn", "--format", "csv"],
        ["close", "2025", "--zone", "Mars/Olympus", "--format", "csv"],
    ]

    @Test func `print and exit as they do alone, and append the same events`() async throws {
        try await blocking {
            let archive = try Self.archives(alone)
            #expect(try run(["ingest", "first"], alone, archive).ending == .exited(0))
            let copies = try Self.archives(beside)
            #expect(try run(["ingest", "first"], beside, copies).ending == .exited(0))
            // The service trusts neither the root nor the app of the commands.
            let service = try Service(beside.data, ["--bundle-id", "com.example.service"])
            for command in Self.commands + Self.activations + Self.catalogs + Self.ratesAndCloses + Self.imports {
                let expected = try run(command, alone, archive)
                let found = try run(command, beside, copies)
                #expect(found.ending == expected.ending, "\(command): \(found.errors)")
                #expect(Self.normal(found.output, beside) == Self.normal(expected.output, alone), "\(command)")
                #expect(Self.normal(found.errors, beside) == Self.normal(expected.errors, alone), "\(command)")
            }
            try service.stop()
            let events = try Self.events(alone)
            #expect(events.count > 12 && events.contains(["subscriptionTransferred", "operator"]))
            #expect(try Self.events(beside) == events)
            #expect(try Self.activations(beside) == Self.activations(alone))
        }
    }

    @Test func `read an archive from standard input`() async throws {
        try await blocking {
            let service = try Service(beside.data)
            let run = try Subledger(
                ["ingest", "-", "--data", beside.data, "--format", "json"] + beside.trust,
                input: SignedFiles.transaction("1").text + "\n" + SignedFiles.transaction("2").text)
            #expect(run.ending == .exited(0), "\(run.errors)")
            #expect(try run.lines.last?["appended"]?.integer == 2)
            try service.stop()
        }
    }

    @Test func `change what the service answers next`() async throws {
        try await blocking {
            let archives = try Self.archives(beside)
            let service = try Service(beside.data)
            #expect(try run(["ingest", "first", "--customer", "alice"], beside, archives).ending == .exited(0))
            #expect(try service.get("/v1/customers/alice").contains(#""originalTransactionId":"1""#))
            #expect(try !service.get("/v1/customers/bob").contains(#""originalTransactionId":"1""#))
            let moved = try run(["customer", "transfer", "bob", "--subscription", "1"], beside, archives)
            #expect(moved.ending == .exited(0), "\(moved.errors)")
            #expect(try service.get("/v1/customers/bob").contains(#""originalTransactionId":"1""#))
            #expect(try !service.get("/v1/customers/alice").contains(#""originalTransactionId":"1""#))
            try service.stop()
        }
    }

    @Test func `show the key that the service has made`() async throws {
        try await blocking {
            let service = try Service(beside.data)
            let run = try Subledger(["audit", "key", "init", "--data", beside.data])
            #expect(run.ending == .exited(0), "\(run.errors)")
            try service.stop()
            #expect(try Subledger(["audit", "key", "init", "--data", beside.data]).output == run.output)
        }
    }
}

extension HandoverTests {
    /// Writes the archives of the commands and returns their paths by name.
    private static func archives(_ files: SignedFiles) throws -> [String: String] {
        let lines: [String: [String]] = [
            "first": ["1", "2"].map { SignedFiles.transaction($0).text },
            "second": ["1", "3"].map { SignedFiles.transaction($0).text },
            "mixed": [
                SignedFiles.transaction("4").forged.text, "none", "{}", "\u{E9}", SignedFiles.transaction("5").text,
                SignedFiles.transaction("1").text,
            ],
            "refused": ["6", "7"].map { SignedFiles.transaction($0).text },
            "strict": ["name: strict", "access: {renewalLeewayMinutes: 0}  # \u{E9} \"\\ "],
            "long": ["access: {ownGraceDays: 3}", "# " + String(repeating: "\"", count: 1_048_000)],
            "wrong": ["access:", "  ownGraceDay: 3"],
            "products": [
                "version: 1", "bundleId: com.example.app", "groups: [{id: g}]",
                "products: [{id: pro, type: autoRenewable, group: g, duration: P1M}]  # \u{E9} \"\\ ",
            ],
            "exchange": [
                "version: 1", "currency: USD", "rates: [{day: 2026-01-02, of: EUR, rate: \"1.0352\"}]  # \u{E9} ",
            ],
            "rows": [
                #"{"originalTransactionId":"1","customerId":"zoe"}"#, #"{"originalTransactionId":"4"}"#, "{}", "",
                #"{"originalTransactionId":"99"}"#, #"{"jws":"\#(SignedFiles.transaction("8").text)"}"#,
                #"{"originalTransactionId":"5","customerId":"carol"}"#,
            ],
            "export": exportedRows,
            "contradicting": ["version: 1", "bundleId: com.example.app", "products: [{id: pro, type: consumable}]"],
        ]
        return try lines.reduce(into: ["missing": files.path("missing.jsonl")]) { paths, archive in
            paths[archive.key] = try files.archive("\(archive.key).jsonl", archive.value)
        }
    }

    /// An export of RevenueCat: a row with another product, one of an unknown transaction, one of another store.
    private static var exportedRows: [String] {
        let columns = """
            rc_original_app_user_id,product_identifier,start_time,end_time,store,is_auto_renewable,is_trial_period,\
            is_in_intro_offer_period,is_sandbox,store_transaction_id,original_store_transaction_id,refunded_at,\
            purchased_currency,purchase_price_in_purchased_currency,ownership_type,renewal_number,updated_at
            """
        return [
            columns,
            "bob,plus,2024-01-01 00:00:00,2024-02-01 00:00:00,app_store,true,false,false,false,1,1,,,,PURCHASED,1,",
            "bob,pro,2024-01-01 00:00:00,2024-02-01 00:00:00,app_store,true,false,false,false,98,98,,,,PURCHASED,1,",
            "bob,pro,2024-01-01 00:00:00,2024-02-01 00:00:00,play_store,true,false,false,false,A,A,,,,,1,",
        ]
    }

    private func run(_ command: [String], _ files: SignedFiles, _ archives: [String: String]) throws -> Subledger {
        var arguments = command.map { archives[$0] ?? $0 } + ["--data", files.data]
        if !command.contains("--format") { arguments += ["--format", "json"] }
        if ["ingest", "retry"].contains(where: command.contains) {
            let trust = files.trust
            arguments += command.contains("--bundle-id") ? Array(trust.prefix(2)) : trust
        }
        return try Subledger(arguments)
    }

    /// Returns a text without what differs between two runs: paths, durations, instants and handles.
    private static func normal(_ text: String, _ files: SignedFiles) -> String {
        text.replacing(files.path(""), with: "")
            .replacing(#/"(asOf|handle|into|activatedAt|appliedAt)":"[^"]*"/#) { #""\#($0.output.1)":"*""# }
            .replacing(#/"seconds":[0-9.e-]+/#, with: #""seconds":0"#)
            .replacing(#/in [0-9.e-]+ s\n?$/#, with: "in 0 s")
            .replacing(#/as of [^ ,]+,/#, with: "as of *,")
            .replacing(#/(activatedAt|appliedAt) +[^ \n]+/#) { "\($0.output.1) *" }
    }

    /// Returns the authors and the rules files of the activations.
    private static func activations(_ files: SignedFiles) throws -> [[String]] {
        let rows = try Subledger(["log", "tail", "-n", "1000", "--data", files.data, "--format", "json"]).lines
        let activations = rows.filter { $0["kind"]?.string == "rulesActivated" }
        #expect(activations.count == 2)
        return try activations.map { row in
            let position = try #require(row["position"]?.integer)
            let evidence = try Subledger(["log", "show", "\(position)", "--evidence", "--data", files.data])
            return [try #require(row["body"]?["by"]?.string), evidence.output]
        }
    }

    /// Returns the kinds and sources of the events.
    private static func events(_ files: SignedFiles) throws -> [[String?]] {
        try Subledger(["log", "tail", "-n", "1000", "--data", files.data, "--format", "json"]).lines
            .map { [$0["kind"]?.string, $0["source"]?.string] }
    }
}
