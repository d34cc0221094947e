import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands about rules") struct ProjectCommandTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    private static let text = "name: strict\naccess: {renewalLeewayMinutes: 0}  # no patience\n"

    private func project(_ arguments: String..., format: String = "json") throws -> Subledger {
        try Subledger(["project"] + arguments + ["--data", files.data, "--format", format])
    }

    private func ingest() throws {
        let archive = try files.archive("purchase.jsonl", [SignedFiles.transaction("1").text])
        let run = try Subledger(["ingest", archive, "--data", files.data, "--quiet"] + files.trust)
        #expect(run.ending == .exited(0), "\(run.errors)")
    }

    private func rules(_ text: String) throws -> String {
        let path = files.path("rules.yaml")
        try File.write(Array(text.utf8), to: path)
        return path
    }

    /// The status half an hour after the end of the purchase.
    private func status(_ arguments: String...) throws -> String? {
        let run = try Subledger(
            ["state", "--subscription", "1", "--as-of", "2024-02-01T00:30:00Z", "--data", files.data]
                + ["--format", "json"] + arguments)
        #expect(run.ending == .exited(0), "\(run.errors)")
        return try run.lines.first?["subscriptions"]?.elements?.first?["status"]?.string
    }

    @Test func `activate rules once, and show who did it`() async throws {
        try await blocking {
            try ingest()
            let before = try project("status").lines.first
            #expect(before?["rules"]?["name"]?.string == "default")
            #expect(before?["rules"]?["position"]?.isNull == true)
            #expect(try status() == "active")
            let path = try rules(Self.text)
            #expect(try status("--rules", path) == "expired")

            let first = try project("activate", "--rules", path, "--by", "alice", "--yes")
            #expect(first.ending == .exited(0), "\(first.errors)")
            #expect(try first.lines.first?["activated"]?.bool == true)
            let again = try project("activate", "--rules", path, "--by", "bob")
            #expect(again.ending == .exited(0), "\(again.errors)")
            #expect(try again.lines.first?["activated"]?.bool == false)
            #expect(try project("activate", "--rules", path, "--by", "bob", format: "table").output.contains("already"))

            let active = try #require(try project("status").lines.first?["rules"])
            #expect(active.members.map(\.key) == ["name", "digest", "position", "activatedAt", "by", "rules"])
            #expect(active["name"]?.string == "strict" && active["by"]?.string == "alice")
            #expect(active["position"]?.integer == 1 && active["activatedAt"]?.string != nil)
            #expect(active["rules"]?["access"]?["renewalLeewayMinutes"]?.integer == 0)
            #expect(try project("status", "--known-at", "1").lines.first?["rules"]?["name"]?.string == "default")
            #expect(try project("status", "--known-at", "3").ending == .exited(1))
            #expect(try status() == "expired")
            #expect(try status("--known-at", "1") == "active")
            let evidence = try Subledger(["log", "show", "1", "--evidence", "--data", files.data])
            #expect(evidence.output == Self.text.dropLast())
        }
    }

    @Test func `activate nothing without a confirmation, an author or a ledger`() async throws {
        try await blocking {
            let path = try rules(Self.text)
            #expect(try project("activate", "--rules", path, "--by", "alice", "--yes").ending == .exited(3))
            try ingest()
            let unconfirmed = try project("activate", "--rules", path, "--by", "alice")
            #expect(unconfirmed.ending == .exited(2))
            #expect(unconfirmed.errors.contains("access.renewalLeewayMinutes: 60 -> 0"), "\(unconfirmed.errors)")
            #expect(unconfirmed.errors.contains(#""expected":"--yes""#), "\(unconfirmed.errors)")
            let anonymous = try project("activate", "--rules", path, "--by", "", "--yes")
            #expect(anonymous.ending == .exited(2))
            #expect(anonymous.errors.contains("parameter_invalid"), "\(anonymous.errors)")
            #expect(try project("status").lines.first?["rules"]?["position"]?.isNull == true)
        }
    }

    @Test func `refuse a wrong file with its line and column`() async throws {
        try await blocking {
            try ingest()
            let path = try rules("version: 1\naccess:\n  ownGraceDay: 3\n")
            for run in [
                try project("activate", "--rules", path, "--by", "alice", "--yes"),
                try Subledger(["state", "--subscription", "1", "--rules", path, "--data", files.data]),
            ] {
                #expect(run.ending == .exited(2))
                #expect(run.errors.contains("rules_invalid"), "\(run.errors)")
                #expect(run.errors.contains("\(path):3:3: key access.ownGraceDay is unknown"), "\(run.errors)")
            }
        }
    }

    @Test func `list every key in the help`() async throws {
        try await blocking {
            let help = try Subledger(["project", "activate", "--help"])
            for line in ["access.ownGraceDays (days, 0 to 366; default 0)", "customers.claimConflict (keepFirst, move"]
            {
                #expect(help.output.contains(line), "\(help.output)")
            }
        }
    }
}
