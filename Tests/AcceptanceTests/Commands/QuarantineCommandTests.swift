import AppStoreSimulation
import EventLog
import LedgerStorage
import Primitives
import Testing

@Suite("The quarantine's commands") struct QuarantineCommandTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    private func run(_ arguments: [String]) throws -> Subledger {
        try Subledger(arguments + ["--data", files.data, "--format", "json"])
    }

    /// Ingests purchases that are refused for their bundle, and a forged one that stays unacceptable.
    private func refuse(_ ids: [String]) throws {
        let archive = try files.archive(
            "refused.jsonl", ids.map { SignedFiles.transaction($0).text } + [SignedFiles.transaction("0").forged.text])
        let run = try run(["ingest", archive] + files.trust(bundleId: "com.example.other"))
        #expect(try run.lines.dropLast().map { $0["quarantined"]?.bool } == (0...ids.count).map { _ in true })
    }

    private func list() throws -> [JSONView] {
        let run = try run(["quarantine", "list"])
        #expect(run.ending == .exited(0), "\(run.errors)")
        return try run.lines
    }

    private func digest(_ id: String) -> String { Digest.sha256(of: SignedFiles.transaction(id).compact).hex }

    private func retry(_ arguments: [String], counts: [Int64], exit: Int32) throws {
        let run = try run(["quarantine", "retry"] + arguments)
        #expect(run.ending == .exited(exit), "\(run.errors)")
        let sums = try #require(try run.lines.last)
        #expect(["appended", "duplicates", "refused"].map { sums[$0]?.integer } == counts)
    }

    @Test func `list what was refused, and append it once it is accepted`() async throws {
        try await blocking {
            try refuse(["1", "2"])
            let listed = try list()
            #expect(listed.count == 3)
            #expect(
                listed[0].members.map(\.key)
                    == ["digest", "refusedAt", "source", "bytes", "code", "reason", "expected", "found", "part"])
            #expect(Set(listed.compactMap { $0["code"]?.string }) == ["bundle_mismatch", "signature_invalid"])
            let first = try #require(listed.first { $0["digest"]?.string == digest("1") })
            #expect(first["found"]?.string == SignedFiles.bundleId && first["source"]?.string == "file")
            #expect(first["bytes"]?.integer == Int64(SignedFiles.transaction("1").compact.count))

            // With the same configuration, they are refused again and stay in quarantine.
            try retry(files.trust(bundleId: "com.example.other"), counts: [0, 0, 3], exit: 1)
            #expect(try list().map(\.text) == listed.map(\.text))
            try retry([String(digest("2").prefix(12))] + files.trust, counts: [1, 0, 0], exit: 0)
            #expect(try list().count == 2)
            try retry(files.trust, counts: [1, 0, 1], exit: 1)
            #expect(try list().map { $0["code"]?.string } == ["signature_invalid"])
            for id in ["1", "2"] {
                #expect(try run(["state", "--subscription", id]).ending == .exited(0))
            }
        }
    }

    @Test func `leave what is in the log already`() async throws {
        try await blocking {
            try refuse(["1"])
            let archive = try files.archive("accepted.jsonl", [SignedFiles.transaction("1").text])
            #expect(try run(["ingest", archive] + files.trust).ending == .exited(0))
            try retry([digest("1")] + files.trust, counts: [0, 1, 0], exit: 0)
            #expect(try list().map { $0["digest"]?.string }.contains(digest("1")) == false)
        }
    }

    /// An answer of verifyReceipt with one purchase.
    private static func answer(_ id: String) -> String {
        """
        {"status":0,"environment":"Production","receipt":{"bundle_id":"\(SignedFiles.bundleId)","in_app":[]},\
        "latest_receipt_info":[{"transaction_id":"\(id)","original_transaction_id":"\(id)","product_id":"pro",\
        "purchase_date_ms":"\(SignedFiles.start)","expires_date_ms":"\(SignedFiles.start + 86_400_000)"}]}
        """
    }

    @Test(arguments: [false, true])
    func `append an answer that the operator vouches for, also beside a running service`(besideService: Bool)
        async throws
    {
        try await blocking {
            let archive = try files.archive("answers.jsonl", [Self.answer("1")])
            let ingested = try run(
                ["ingest", archive, "--trust-files"] + files.trust(bundleId: "com.example.other"))
            #expect(try ingested.lines.first?["code"]?.string == "answer_mismatch")
            #expect(try ingested.lines.first?["quarantined"]?.bool == true)
            let service = besideService ? try Service(files.data, ["--bundle-id", "com.example.other"]) : nil
            let refused = try run(["quarantine", "retry"] + files.trust)
            let line = try #require(try refused.lines.first)
            #expect(refused.ending == .exited(1) && line["code"]?.string == "channel_not_authenticated")
            #expect(line["hint"]?.string?.contains("--trust-files") == true && line["quarantined"]?.bool == true)
            let table = try Subledger(
                ["quarantine", "retry", "--data", files.data, "--format", "table"] + files.trust)
            #expect(table.output.contains("--trust-files"), "\(table.output)")
            #expect(try list().map { $0["code"]?.string } == ["answer_mismatch"])
            try retry(["--trust-files"] + files.trust, counts: [1, 0, 0], exit: 0)
            #expect(try list().isEmpty)
            #expect(try run(["state", "--subscription", "1"]).ending == .exited(0))
            try service?.stop()
        }
    }

    @Test func `append for a customer who is named again`() async throws {
        try await blocking {
            try refuse(["1"])
            try retry([digest("1"), "--customer", "alice"] + files.trust, counts: [1, 0, 0], exit: 0)
            let state = try run(["state", "--customer", "alice"])
            #expect(try state.lines.first?["subscriptions"]?.elements?.count == 1)
        }
    }

    @Test func `drop what is named, or all`() async throws {
        try await blocking {
            try refuse(["1", "2"])
            let named = try run(["quarantine", "drop", digest("1").uppercased()])
            #expect(named.output == #"{"dropped":1}"#)
            #expect(try !list().map { $0["digest"]?.string }.contains(digest("1")))
            #expect(try run(["quarantine", "drop", "--all"]).output == #"{"dropped":2}"#)
            #expect(try list().isEmpty)
        }
    }

    @Test(arguments: ["drop", "retry"])
    func `refuse what names no one item, and touch none`(command: String) async throws {
        try await blocking {
            try refuse(["1", "2"])
            for name in ["", "zz", digest("9")] {
                let run = try run(["quarantine", command, digest("1"), name])
                #expect(run.ending == .exited(1))
                #expect(run.errors.contains("quarantine_item_unknown"), "\(run.errors)")
            }
            #expect(try list().count == 3)
        }
    }

    @Test func `need a ledger, and make none`() async throws {
        try await blocking {
            for command in [["list"], ["retry"], ["drop", "--all"]] {
                let run = try run(["quarantine"] + command)
                #expect(run.ending == .exited(3))
                #expect(run.errors.contains("no ledger at"), "\(run.errors)")
            }
            #expect(!DataFolder(path: files.data).exists)
            for arguments in [["drop"], ["drop", "--all", "1"]] {
                #expect(try run(["quarantine"] + arguments).ending == .exited(2))
            }
        }
    }

    @Test func `list and drop beside who writes, and do not retry`() async throws {
        try await blocking {
            try refuse(["1"])
            var acknowledged = Acknowledgements()
            let writer = try WritingProcess(DataFolder(path: files.data), seed: 1, resume: acknowledged.resume)
            try writer.read(into: &acknowledged) { !$0.positions.isEmpty }
            #expect(try list().count == 2)
            let retried = try run(["quarantine", "retry"] + files.trust)
            #expect(retried.ending == .exited(3) && retried.errors.contains("locked"), "\(retried.errors)")
            #expect(try run(["quarantine", "drop", digest("1")]).ending == .exited(0))
            #expect(try list().count == 1)
            writer.child.closeInput()
            try writer.finish(into: &acknowledged)
        }
    }
}

extension JSONView {
    fileprivate var text: [UInt8] { Array(document.bytes[byteRange]) }
}
