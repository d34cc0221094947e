import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands about catalogues") struct CatalogCommandTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    private static let text = """
        version: 1
        bundleId: com.example.app
        groups: [{id: g}]
        products: [{id: pro, type: autoRenewable, group: g, duration: P1M, entitlements: [pro]}]

        """

    private func catalog(_ arguments: String..., format: String = "json") throws -> Subledger {
        try Subledger(["catalog"] + arguments + ["--data", files.data, "--format", format])
    }

    private func ingest() throws {
        let archive = try files.archive("purchase.jsonl", [SignedFiles.transaction("1").text])
        let run = try Subledger(["ingest", archive, "--data", files.data, "--quiet"] + files.trust)
        #expect(run.ending == .exited(0), "\(run.errors)")
    }

    private func file(_ text: String) throws -> String {
        let path = files.path("catalog.yaml")
        try File.write(Array(text.utf8), to: path)
        return path
    }

    @Test func `apply a catalogue once, and show it`() async throws {
        try await blocking {
            let path = try file(Self.text)
            #expect(try catalog("apply", path).ending == .exited(3))
            try ingest()
            #expect(try catalog("show", format: "table").output == "no catalogues")
            let first = try catalog("apply", path)
            #expect(first.ending == .exited(0), "\(first.errors)")
            #expect(try first.lines.first?["applied"]?.bool == true)
            #expect(try catalog("apply", path, format: "table").output.contains("already in effect"))
            let answer = try #require(try catalog("show").lines.first)
            #expect(answer.members.map(\.key) == ["knownAt", "catalogs"])
            let row = try #require(answer["catalogs"]?.elements?.first)
            #expect(row.members.map(\.key) == ["digest", "position", "appliedAt", "catalog", "unknownProducts"])
            #expect(row["catalog"]?["products"]?.elements?.first?["duration"]?.string == "P1M")
            #expect(try catalog("show", "--known-at", "1").lines.first?["catalogs"]?.elements?.isEmpty == true)
            let table = try catalog("show", format: "table").output
            for words in ["bundleId", "pro", "autoRenewable", "P1M"] { #expect(table.contains(words), "\(table)") }
            let evidence = try Subledger(["log", "show", "1", "--evidence", "--data", files.data])
            #expect(evidence.output == Self.text.dropLast())
        }
    }

    @Test func `refuse a wrong file with its line and column`() async throws {
        try await blocking {
            try ingest()
            for (text, place, words) in [
                (Self.text + "prices: []\n", "5:1", "prices is unknown"),
                (
                    Self.text.replacing("autoRenewable, group: g, duration: P1M", with: "consumable, group: g"), "4:40",
                    "unknown"
                ),
                (
                    Self.text.replacing("autoRenewable, group: g, duration: P1M", with: "nonRenewing"), "4:28",
                    "contradicts transactions in the log"
                ),
            ] {
                let path = try file(text)
                let run = try catalog("apply", path)
                #expect(run.ending == .exited(2) && run.errors.contains("catalog_invalid"), "\(run.errors)")
                #expect(run.errors.contains("\(path):\(place)") && run.errors.contains(words), "\(run.errors)")
            }
            #expect(try catalog("show").lines.first?["catalogs"]?.elements?.isEmpty == true)
            #expect(try catalog("apply", files.path("missing.yaml")).errors.contains("catalog_invalid"))
        }
    }

    @Test func `import Xcode's StoreKit configuration as a catalogue that can be applied`() async throws {
        try await blocking {
            try ingest()
            let source = files.path("Store.storekit")
            let product = #"{"productID":"unlock","type":"NonConsumable","familyShareable":true}"#
            try File.write(Array(#"{"products":[\#(product)],"version":{"major":4}}"#.utf8), to: source)
            let unnamed = try Subledger(["catalog", "import", source])
            #expect(unnamed.ending == .exited(2) && unnamed.errors.contains("--bundle-id"), "\(unnamed.errors)")
            let run = try Subledger(["catalog", "import", source, "--bundle-id", "com.example.app"])
            #expect(run.ending == .exited(0), "\(run.errors)")
            let applied = try catalog("apply", try file(run.output))
            #expect(applied.ending == .exited(0), "\(applied.errors)")
            let products = try applied.lines.first?["catalogs"]?.elements?.first?["catalog"]?["products"]?.elements
            #expect(products?.compactMap { $0["id"]?.string } == ["unlock"])
        }
    }
}
