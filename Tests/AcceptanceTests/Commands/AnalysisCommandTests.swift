import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands about all subscriptions") struct AnalysisCommandTests {
    private let files: SignedFiles

    init() throws {
        files = try SignedFiles()
        let archive = try files.archive(
            "purchases.jsonl", ["1", "2"].map { SignedFiles.transaction($0).text })
        let run = try Subledger(["ingest", archive, "--data", files.data, "--quiet"] + files.trust)
        #expect(run.ending == .exited(0), "\(run.errors)")
    }

    private func run(_ arguments: String...) throws -> Subledger {
        try Subledger(arguments + ["--data", files.data])
    }

    @Test func `print tables for people, and JSON and CSV for programs`() async throws {
        try await blocking {
            let json = try run("cohorts", "--format", "json")
            #expect(json.ending == .exited(0), "\(json.errors)")
            let answer = try #require(try json.lines.first)
            #expect(
                answer.members.map(\.key) == [
                    "asOf", "knownAt", "definition", "by", "zone", "cut", "ownershipInferred", "rows",
                ])
            let rows = try #require(answer["rows"]?.elements)
            #expect(rows.compactMap { $0["size"]?.integer }.reduce(0, +) == 2)

            let table = try run("cohorts", "--format", "table").output
            for words in ["cohort", "duration", "size", "definition default, zone UTC"] {
                #expect(table.contains(words), "\(table)")
            }

            let csv = try run("revenue", "--charges", "--format", "csv").output
            let lines = csv.split(separator: "\r\n")
            #expect(
                lines.first?.hasPrefix("environment,bundleId,originalTransactionId,kind,productId,") == true, "\(csv)")
            #expect(lines.count == 3)
            #expect(lines.dropFirst().allSatisfy { $0.contains(",sale,") })

            // The cells are the innermost rows.
            let cells = try run("cohorts", "--cut", "product", "--format", "csv").output.split(separator: "\r\n")
            #expect(cells.first?.hasPrefix("cohort,duration,cut.product,size") == true)

            for mode in [["--by", "week"], ["--segment", "churned"], ["--curve"], ["--funnel"]] {
                for format in ["json", "table", "csv"] {
                    let run = try Subledger(["churn", "--data", files.data, "--format", format] + mode)
                    #expect(run.ending == .exited(0), "\(mode) \(run.errors)")
                }
            }
            for mode in [["--mrr", "default"], ["--refunds", "sale"]] {
                let answer = try Subledger(["revenue", "--data", files.data, "--format", "json"] + mode)
                #expect(try answer.lines.first?["rows"]?.elements?.isEmpty == false, "\(mode)")
            }
        }
    }

    @Test func `refuse unknown definitions, calendars, cuts and zones with what there is`() async throws {
        try await blocking {
            for (arguments, code) in [
                (["cohorts", "--definition", "revenuecat-2025-01"], "definition_unknown"),
                (["cohorts", "--by", "year"], "definition_unknown"),
                (["revenue", "--cut", "product,colour"], "definition_unknown"),
                (["revenue", "--mrr", "mine"], "definition_unknown"),
                (["churn", "--segment", "gone"], "definition_unknown"),
                (["cohorts", "--zone", "America/Berlin"], "zone_unknown"),
            ] {
                let run = try Subledger(arguments + ["--data", files.data, "--format", "json"])
                #expect(run.ending == .exited(1), "\(arguments) \(run.errors)")
                #expect(run.errors.contains(code), "\(run.errors)")
            }
            #expect(try run("cohorts", "--cell", "2026-01").ending == .exited(2))
            #expect(try run("revenue", "--mrr", "default", "--charges").ending == .exited(2))
            #expect(try run("revenue", "--mrr", "default", "--cut", "product").ending == .exited(2))
            #expect(try run("churn", "--curve", "--funnel").ending == .exited(2))
            #expect(try run("churn", "--segment", "winBack", "--by", "day").ending == .exited(2))
        }
    }
}
