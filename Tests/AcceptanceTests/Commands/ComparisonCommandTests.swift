import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands that compare answers") struct ComparisonCommandTests {
    private let files: SignedFiles

    init() throws {
        files = try SignedFiles()
        try ingest("purchases.jsonl", ["1", "2"])
    }

    private func ingest(_ name: String, _ ids: [String]) throws {
        let archive = try files.archive(name, ids.map { SignedFiles.transaction($0).text })
        let run = try Subledger(["ingest", archive, "--data", files.data, "--quiet"] + files.trust)
        #expect(run.ending == .exited(0), "\(run.errors)")
    }

    private func run(_ arguments: String..., format: String = "json") throws -> Subledger {
        try Subledger(arguments + ["--data", files.data, "--format", format])
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try File.write(Array(text.utf8), to: files.path(name))
        return files.path(name)
    }

    @Test func `show what other rules would move, as a summary and as rows`() async throws {
        try await blocking {
            let rules = try file("rules.yaml", "retention: {definition: calendar-month}\n")
            let json = try run("project", "diff", "--rules", rules)
            #expect(json.ending == .exited(0), "\(json.errors)")
            let answer = try #require(try json.lines.first)
            #expect(answer.members.map(\.key) == ["asOf", "knownAt", "changes", "summary", "rows"])
            #expect(answer["changes"]?.elements?.first?["rule"]?.string == "retention.definition")
            let row = try #require(answer["rows"]?.elements?.first)
            #expect(
                row.members.map(\.key) == [
                    "cell", "table", "field", "currency", "before", "after", "rule", "together",
                ])
            #expect(row["table"]?.string == "cohorts" && row["together"]?.bool == false)

            let table = try run("project", "diff", "--rules", rules, format: "table").output
            for words in ["retention.definition", "calendar-month", "retained", "moved"] {
                #expect(table.contains(words), "\(table)")
            }
            let lines = try run("project", "diff", "--rules", rules, format: "csv").output.split(separator: "\r\n")
            #expect(lines.first?.contains(",table,field,currency,before,after,rule,together") == true)
            #expect(lines.count == (answer["rows"]?.elements?.count ?? 0) + 1)

            let other = try file("old.yaml", "name: other\n")
            let equal = try run("project", "diff", "--rules", other, "--rules", other, format: "table")
            #expect(equal.output.contains("no difference"))
            #expect(try run("project", "diff").ending == .exited(2))
            let zone = try file("zone.yaml", "retention: {zone: Mars/Olympus}\n")
            let unknown = try run("project", "diff", "--rules", zone)
            #expect(unknown.ending == .exited(2) && unknown.errors.contains("rules_invalid"), "\(unknown.errors)")
        }
    }

    @Test func `close numbers and restate them`() async throws {
        try await blocking {
            let closed = try run("close", "before", "--as-of", "2026-10-01")
            #expect(closed.ending == .exited(0), "\(closed.errors)")
            let close = try #require(try closed.lines.first?["close"])
            #expect(close["name"]?.string == "before" && close["version"]?.integer == 1)
            #expect(try run("close", "--list", format: "table").output.contains("before"))
            #expect(
                try run("project", "restate", "--close", "before", format: "table").output.contains("nothing moved"))

            try ingest("late.jsonl", ["3", "4"])
            let json = try run("project", "restate", "--close", "before")
            #expect(json.ending == .exited(0), "\(json.errors)")
            let answer = try #require(try json.lines.first)
            #expect(answer.members.map(\.key) == ["asOf", "from", "to", "close", "rows"])
            let rows = try #require(answer["rows"]?.elements)
            #expect(!rows.isEmpty)
            for row in rows {
                let causes = row["causes"]?.elements ?? []
                let sum = causes.compactMap { $0["change"]?.integer }.reduce(row["before"]?.integer ?? 0, +)
                #expect(sum == row["after"]?.integer)
                #expect(
                    causes.allSatisfy { $0["cause"]?.string == "lateEvent" && $0["evidence"]?.elements?.count ?? 0 > 0 }
                )
            }
            let sizes = try run("project", "restate", "--from", "2", "--as-of", "2026-10-01", format: "csv")
            let header = sizes.output.split(separator: "\r\n").first
            #expect(header?.contains(",table,field,currency,before,after,cause,change,evidence") == true)

            let future = try run("close", "2999-Q1")
            #expect(future.ending == .exited(1) && future.errors.contains("has not ended"), "\(future.errors)")
            let missing = try run("project", "restate", "--close", "nothing")
            #expect(missing.ending == .exited(1) && missing.errors.contains("close_unknown"), "\(missing.errors)")
        }
    }

    @Test func `apply exchange rates once, and convert revenue`() async throws {
        try await blocking {
            let text = "version: 1\ncurrency: USD\nrates: [{day: 2026-01-01, of: EUR, rate: \"1.5\"}]\n"
            let path = try file("rates.yaml", text)
            let applied = try run("rates", "apply", path)
            #expect(applied.ending == .exited(0), "\(applied.errors)")
            #expect(try applied.lines.first?["applied"]?.bool == true)
            #expect(try run("rates", "apply", path, format: "table").output.contains("already in effect"))
            #expect(try run("rates", "show", format: "table").output.contains("2026-01-01"))
            let bad = try run("rates", "apply", try file("bad.yaml", text.replacing("EUR", with: "EURO")))
            #expect(bad.ending == .exited(2) && bad.errors.contains("rates_invalid"), "\(bad.errors)")
            #expect(bad.errors.contains("bad.yaml:3:31"), "\(bad.errors)")
            let rows = try run("revenue", "--currency", "USD").lines.first?["rows"]?.elements ?? []
            #expect(rows.allSatisfy { $0["unknownRate"] != nil && $0["exchanges"] != nil })
            #expect(try run("revenue", "--currency", "DOLLAR").errors.contains("definition_unknown"))
        }
    }
}
