import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands about a customer") struct CustomerCommandTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    private func ingest(_ name: String, _ ids: [String], for customer: String) throws -> Subledger {
        let archive = try files.archive(name, ids.map { SignedFiles.transaction($0).text })
        return try Subledger(
            ["ingest", archive, "--customer", customer, "--data", files.data, "--format", "json"] + files.trust)
    }

    private func ask(_ command: String, _ arguments: [String], data: String? = nil) throws -> Subledger {
        try Subledger(
            [command, "--as-of", "2024-01-15", "--data", data ?? files.data, "--format", "json"] + arguments)
    }

    private func purchases(_ run: Subledger) throws -> [String] {
        let answer = try #require(try run.lines.first)
        #expect(run.ending == .exited(0), "\(run.errors)")
        #expect(answer.members.map(\.key) == ["asOf", "knownAt", "subscriptions"])
        return (answer["subscriptions"]?.elements ?? []).compactMap { $0["originalTransactionId"]?.string }
    }

    private func counts(_ run: Subledger) throws -> [Int64?] {
        let sums = try #require(try run.lines.last)
        #expect(sums.members.map(\.key) == ["appended", "duplicates", "refused", "bytes", "seconds"])
        return ["appended", "duplicates", "refused"].map { sums[$0]?.integer }
    }

    @Test func `answer for what was ingested for them`() async throws {
        try await blocking {
            let first = try ingest("alice.jsonl", ["1", "2"], for: "alice")
            #expect(first.ending == .exited(0), "\(first.errors)")
            #expect(try counts(first) == [2, 0, 0])
            #expect(try counts(ingest("bob.jsonl", ["3"], for: "bob")) == [1, 0, 0])
            #expect(try counts(ingest("again.jsonl", ["1"], for: "alice")) == [0, 1, 0])

            #expect(try purchases(ask("state", ["--customer", "alice"])) == ["1", "2"])
            let bob = try ask("state", ["--customer", "bob"])
            #expect(try purchases(bob) == ["3"])
            #expect(try bob.output == ask("state", ["--subscription", "3"]).output)
            let history = try ask("history", ["--customer", "bob", "--explain"])
            #expect(try purchases(history) == ["3"])
            #expect(try history.output == ask("history", ["--subscription", "3", "--explain"]).output)
            #expect(try purchases(ask("state", ["--customer", "bob", "--known-at", "4"])) == [])
            #expect(try purchases(ask("state", ["--customer", "bob", "--known-at", "6"])) == ["3"])
            #expect(try purchases(ask("state", ["--customer", "bob", "--known-at", "2100-01-01"])) == ["3"])
            for command in ["state", "history"] {
                let ahead = try ask(command, ["--customer", "bob", "--known-at", "7"])
                #expect(ahead.ending == .exited(1))
                #expect(ahead.errors.contains(#""code":"known_at_ahead""#), "\(ahead.errors)")
                #expect(ahead.errors.contains(#""expected":"at most 6","found":"7""#), "\(ahead.errors)")
            }
        }
    }

    @Test func `show entitlements, also those of a grant`() async throws {
        try await blocking {
            #expect(try ingest("alice.jsonl", ["1"], for: "alice").ending == .exited(0))
            let granted = try Subledger([
                "customer", "grant", "alice", "pro", "--because", "a gift", "--data", files.data, "--format", "json",
            ])
            #expect(granted.ending == .exited(0), "\(granted.errors)")
            let shown = try Subledger(["customer", "show", "alice", "--data", files.data, "--format", "json"])
            let answer = try #require(try shown.lines.first)
            #expect(answer["id"]?.string == "alice")
            #expect(answer["entitled"]?.bool == true)
            #expect(answer["entitlements"]?.elements?.compactMap { $0["id"]?.string } == ["pro"])
            #expect(answer["products"]?.elements?.compactMap { $0["productId"]?.string } == ["pro"])
            let table = try Subledger(["customer", "show", "alice", "--data", files.data, "--format", "table"]).output
            for words in ["until", "productId", "originalTransactionId"] { #expect(table.contains(words), "\(table)") }
            let nobody = try Subledger(["customer", "show", "nobody", "--data", files.data, "--format", "json"])
            #expect(try nobody.lines.first?["entitled"]?.bool == false)
        }
    }

    @Test func `answer nothing for somebody unknown, and do not fail`() async throws {
        try await blocking {
            _ = try ingest("alice.jsonl", ["1"], for: "alice")
            for command in ["state", "history"] {
                #expect(try purchases(ask(command, ["--customer", "nobody"])) == [])
            }
            #expect(try ask("state", ["--subscription", "nothing"]).ending == .exited(1))
        }
    }

    @Test func `take a purchase of somebody else's, and say that it is`() async throws {
        try await blocking {
            _ = try ingest("bob.jsonl", ["1"], for: "bob")
            let run = try ingest("alice.jsonl", ["2", "1"], for: "alice")
            #expect(run.ending == .exited(1))
            #expect(try counts(run) == [1, 1, 1])
            let line = try #require(try run.lines.first)
            #expect(
                line.members.map(\.key)
                    == [
                        "file", "kind", "ok", "code", "reason", "expected", "found", "hint", "part", "quarantined",
                        "kept",
                    ])
            #expect(line["file"]?.string == files.path("alice.jsonl") + ":2")
            #expect(line["kind"]?.string == "transaction")
            #expect(line["ok"]?.bool == false)
            #expect(line["code"]?.string == "link_refused")
            #expect(try purchases(ask("state", ["--customer", "alice"])) == ["2"])
            #expect(try purchases(ask("state", ["--customer", "bob"])) == ["1"])
        }
    }

    @Test func `link, transfer, merge and unmerge, and say what they did`() async throws {
        try await blocking {
            _ = try ingest("alice.jsonl", ["1", "2"], for: "alice")
            _ = try ingest("bob.jsonl", ["3"], for: "bob")
            func change(_ arguments: String...) throws -> Subledger {
                try Subledger(["customer"] + arguments + ["--data", files.data, "--format", "json"])
            }
            let refused = try change("link", "bob", "--subscription", "1")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("link_refused"), "\(refused.errors)")
            let moved = try change("transfer", "bob", "--subscription", "1")
            #expect(moved.ending == .exited(0), "\(moved.errors)")
            #expect(try purchases(ask("state", ["--customer", "bob"])) == ["1", "3"])
            let merged = try change("merge", "alice", "--from", "bob")
            #expect(try merged.lines.first?["merged"]?["handle"]?.string?.count == 32)
            #expect(try purchases(ask("state", ["--customer", "alice"])) == ["1", "2", "3"])
            let undone = try change("unmerge", "alice", "--from", "bob")
            #expect(undone.ending == .exited(0), "\(undone.errors)")
            #expect(try purchases(ask("state", ["--customer", "alice"])) == ["2"])
            #expect(try change("unmerge", "alice", "--from", "bob").ending == .exited(1))
            #expect(try change("transfer", "bob", "--subscription", "9").errors.contains("subscription_unknown"))
        }
    }

    @Test func `append what is no transaction as ever, and refuse as ever`() async throws {
        try await blocking {
            let lines = [SignedFiles.transaction("1").forged.text, "none", SignedFiles.transaction("2").text]
            let archive = try files.archive("mixed.jsonl", lines)
            let run = try Subledger(
                ["ingest", archive, "--customer", "alice", "--data", files.data, "--format", "json"] + files.trust)
            #expect(try run.lines.dropLast().map { $0["code"]?.string } == ["signature_invalid", "jws_malformed"])
            #expect(try run.lines.dropLast().map { $0["quarantined"]?.bool } == [true, false])
            #expect(try counts(run) == [1, 0, 2])
        }
    }

    @Test(
        arguments: [
            ["state"], ["history"], ["state", "--customer", "a", "--subscription", "1"],
            ["customer", "merge", "a"], ["customer", "unmerge", "a", "--from", "b", "--handle", "c"],
        ])
    func `want one of subscription and customer`(arguments: [String]) async throws {
        try await blocking {
            let run = try Subledger(arguments + ["--data", files.data])
            #expect(run.ending == .exited(2))
            #expect(run.output.isEmpty)
        }
    }

    @Test(arguments: ["", String(repeating: "customer", count: 33)])
    func `refuse an id that is none, without repeating it`(id: String) async throws {
        try await blocking {
            _ = try ingest("alice.jsonl", ["1"], for: "alice")
            for run in [
                try ask("state", ["--customer", id]), try ask("history", ["--customer", id]),
                try ingest("nobody.jsonl", ["2"], for: id),
            ] {
                #expect(run.ending == .exited(2))
                #expect(run.errors.contains("customer_id_invalid"), "\(run.errors)")
                #expect(id.isEmpty || !run.errors.contains(id))
            }
        }
    }

    @Test func `answer the same from a backup with its secrets, and nothing from one without`() async throws {
        try await blocking {
            _ = try ingest("alice.jsonl", ["1", "2"], for: "alice")
            let copies = [files.path("with"), files.path("without")]
            #expect(try Subledger(["backup", copies[0], "--with-secrets", "--data", files.data]).ending == .exited(0))
            #expect(try Subledger(["backup", copies[1], "--data", files.data]).ending == .exited(0))
            let asked = try ask("state", ["--customer", "alice"])
            #expect(try purchases(asked) == ["1", "2"])
            #expect(try ask("state", ["--customer", "alice"], data: copies[0]).output == asked.output)
            #expect(try purchases(ask("state", ["--customer", "alice"], data: copies[1])) == [])
            #expect(try purchases(ask("state", ["--subscription", "1"], data: copies[1])) == ["1"])
        }
    }
}
