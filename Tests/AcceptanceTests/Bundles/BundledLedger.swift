import AppStoreSimulation
import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

/// A ledger of the command line from which auditors get bundles.
struct BundledLedger {
    private let temporary: TemporaryFolder
    /// The file of the root that signed its artifacts; nil for Apple's.
    let root: String?
    let logKey: String
    let bundleKey: String

    var data: String { temporary.path + "/data" }
    var folder: DataFolder { DataFolder(path: data) }

    func path(_ name: String) -> String { "\(temporary.path)/\(name)" }

    private init(_ temporary: TemporaryFolder, root: String?) throws {
        (self.temporary, self.root) = (temporary, root)
        let keys = try Subledger(["audit", "key", "show", "--data", temporary.path + "/data"])
        try #require(keys.ending == .exited(0), "\(keys.errors)")
        let lines = keys.output.split(separator: "\n").map { String($0) }
        try #require(lines.count == 2)
        (logKey, bundleKey) = (lines[0], lines[1])
    }

    /// A simulated app with a catalogue, rules, a customer, a close, an anchor and a cosigned checkpoint.
    static func simulated(_ authority: TimeStampAuthority) throws -> BundledLedger {
        let temporary = try TemporaryFolder()
        let out = temporary.path + "/simulated"
        func run(_ arguments: [String]) throws {
            let run = try Subledger(arguments)
            try #require(run.ending == .exited(0), "\(arguments): \(run.errors)")
        }
        let data = ["--data", temporary.path + "/data", "--quiet"]
        try run(["simulate", "--seed", "7", "--customers", "12", "--months", "9", "--out", out])
        try run(
            ["ingest", out + "/notifications.ndjson", "--trust-root", out + "/root.der"] + data
                + ["--bundle-id", "com.example.app", "--app-apple-id", "1234567890"])
        try run(["catalog", "apply", out + "/catalog.yaml"] + data)
        try File.write(Array("name: strict\naccess: {ownGraceDays: 2}\n".utf8), to: out + "/rules.yaml")
        try run(["project", "activate", "--rules", out + "/rules.yaml", "--by", "anna", "--yes"] + data)
        try run(["close", "2025-06"] + data)
        let ledger = try BundledLedger(temporary, root: out + "/root.der")
        try ledger.anchor(authority)
        return ledger
    }

    /// The real notifications that Apple signed in the sandbox; nil without the recorded files.
    static func recorded() throws -> BundledLedger? {
        guard let fixtures = TestEnvironment.fixtures else { return nil }
        let temporary = try TemporaryFolder()
        let files = try FileManager.default.contentsOfDirectory(atPath: fixtures + "/jws")
            .filter { $0.hasPrefix("session-") }.sorted()
        let run = try Subledger(
            ["ingest"] + files.map { "\(fixtures)/jws/\($0)" } + [
                "--data", temporary.path + "/data", "--quiet", "--bundle-id", "com.loki-project.loki-messenger",
                "--environment", "Sandbox",
            ])
        try #require(run.ending == .exited(0), "\(run.errors)")
        return try BundledLedger(temporary, root: nil)
    }

    /// Runs a command on the ledger.
    func run(_ arguments: [String]) throws -> Subledger {
        try Subledger(arguments + ["--data", data, "--format", "json"])
    }

    private func anchor(_ authority: TimeStampAuthority) throws {
        try require(["audit", "anchor", "--request", path("request.tsq"), "--quiet"])
        let response = try authority.reply(to: File.read(path("request.tsq")))
        try File.write(response, to: path("response.tsr"))
        try require([
            "audit", "anchor", "--response", path("response.tsr"), "--tsa-root", authority.path("root.pem"),
        ])
    }

    @discardableResult
    func require(_ arguments: [String]) throws -> JSONView {
        let run = try run(arguments)
        try #require(run.ending == .exited(0), "\(arguments): \(run.errors)")
        return try run.lines.first ?? JSONDocument(parsing: Array("null".utf8)).root
    }

    /// Writes a bundle and returns its path.
    func bundle(_ question: [String], _ name: String = "bundle.zip") throws -> String {
        try require(["audit", "bundle"] + question + ["--output", path(name)])
        return path(name)
    }

    /// The arguments of `audit check` after the bundle.
    var keys: [String] {
        ["--log-key", logKey, "--bundle-key", bundleKey, "--format", "json"]
            + (root.map { ["--trust-root", $0] } ?? [])
    }

    func check(_ bundle: String, _ options: [String] = []) throws -> Subledger {
        try Subledger(["audit", "check", bundle] + keys + options)
    }

    /// Requires that a bundle is sound, and returns the notes of the checks by their numbers.
    @discardableResult
    func requireSound(_ bundle: String, _ options: [String] = []) throws -> [Int64: String] {
        let run = try check(bundle, options)
        try #require(run.ending == .exited(0), "\(run.output) \(run.errors)")
        let report = try #require(try run.lines.first)
        try #require(report["ok"]?.bool == true && report["firstBad"]?.isNull == true)
        return (report["checks"]?.elements ?? []).reduce(into: [:]) { notes, row in
            guard let number = row["check"]?.integer else { return }
            notes[number] = "\(row["result"]?.string ?? ""): \(row["note"]?.string ?? "")"
        }
    }

    /// Extracts a bundle with Python's own reader of ZIP files.
    func extracted(_ bundle: String) throws -> String {
        let folder = bundle + ".files"
        try? FileManager.default.removeItem(atPath: folder)
        let child = try ChildProcess("/usr/bin/python3", ["-m", "zipfile", "-e", bundle, folder])
        child.closeInput()
        try #require(child.end(by: nil) == .exited(0), "\(child.standardError)")
        return folder
    }

    /// Runs one of the scripts beside this file.
    @discardableResult
    func python(_ script: String, _ arguments: [String]) throws -> String {
        try Python.lines(Python.path(of: script, beside: #filePath), arguments).joined(separator: "\n")
    }

    /// The subscriptions of the ledger with most events first.
    func subscriptions(_ environment: String = "Production") throws -> [String] {
        let run = try run(["revenue", "--charges", "--environment", environment])
        let rows = try #require(try run.lines.first?["rows"]?.elements, "\(run.errors)")
        let counts = rows.reduce(into: [String: Int]()) {
            $0[$1["originalTransactionId"]?.string ?? "", default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
