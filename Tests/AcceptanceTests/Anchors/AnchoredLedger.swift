import AppStoreSimulation
import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

/// A ledger of the command line, and an authority for its anchors.
struct AnchoredLedger {
    let files: SignedFiles
    let authority: TimeStampAuthority
    private let configuration: [String]

    init(_ authority: TimeStampAuthority) throws {
        self.authority = authority
        files = try SignedFiles()
        try File.write(Array("log: {origin: ledger.example/log}\n".utf8), to: files.path("subledger.yaml"))
        configuration = ["--config", files.path("subledger.yaml")]
    }

    var folder: DataFolder { DataFolder(path: files.data) }
    var root: String { authority.path("root.pem") }

    func anchors(_ name: String) -> String { "\(folder.anchors)/\(name)" }

    /// Runs a command on the ledger, or on one in another folder.
    func run(_ arguments: [String], data: String? = nil) throws -> Subledger {
        try Subledger(arguments + ["--data", data ?? files.data, "--format", "json"] + configuration)
    }

    func service() throws -> Service { try Service(files.data, configuration) }

    /// Appends transactions with these ids.
    func ingest(_ ids: [Int], data: String? = nil) throws {
        let archive = try files.archive("in.jsonl", ids.map { SignedFiles.transaction("\($0)").text })
        let run = try run(["ingest", archive] + files.trust, data: data)
        try #require(run.ending == .exited(0), "\(run.errors)")
    }

    /// Requests an anchor and returns the request.
    func request() throws -> [UInt8] {
        let run = try run(["audit", "anchor", "--request", files.path("request.tsq"), "--quiet"])
        try #require(run.ending == .exited(0) && run.errors.isEmpty, "\(run.errors)")
        return try File.read(files.path("request.tsq"))
    }

    /// Offers a response under the authority's root, or other options.
    func accept(_ response: [UInt8], _ options: [String]? = nil) throws -> Subledger {
        try File.write(response, to: files.path("response.tsr"))
        let arguments = ["audit", "anchor", "--response", files.path("response.tsr")]
        return try run(arguments + (options ?? ["--tsa-root", root]))
    }

    /// Anchors the log and returns its size.
    func anchor() throws -> Int64 {
        let run = try accept(try authority.reply(to: request()))
        try #require(run.ending == .exited(0), "\(run.errors)")
        return try #require(try run.lines.first?["size"]?.integer)
    }

    /// Returns the structural finding of `audit verify`, or the number of anchors of a sound ledger.
    func audit(_ options: [String] = [], data: String? = nil) throws -> (finding: String?, anchors: Int64?) {
        let run = try run(["audit", "verify"] + options, data: data)
        let answer = try #require(try run.lines.first, "\(run.errors)")
        let finding = answer["firstBad"]?["structure"]?.string
        try #require(run.ending == .exited(finding == nil ? 0 : 1), "\(run.output) \(run.errors)")
        return (finding, finding == nil ? answer["anchors"]?.integer : nil)
    }
}
