import AppStoreSimulation
import EventLog
import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite("Commands that prove what is in the log") struct ProofCommandTests {
    private let files: SignedFiles
    private let configuration: [String]

    init() throws {
        files = try SignedFiles()
        try File.write(Array("log: {origin: ledger.example/log}\n".utf8), to: files.path("subledger.yaml"))
        configuration = ["--config", files.path("subledger.yaml")]
        try ingest([1, 2, 3])
    }

    private func run(_ arguments: [String], data: String? = nil) throws -> Subledger {
        try Subledger(arguments + ["--data", data ?? files.data] + configuration)
    }

    private func ingest(_ ids: [Int], data: String? = nil) throws {
        let archive = try files.archive("in.jsonl", ids.map { SignedFiles.transaction("\($0)").text })
        let run = try run(["ingest", archive, "--quiet"] + files.trust, data: data)
        try #require(run.ending == .exited(0), "\(run.errors)")
    }

    /// Writes the output of a command to a file and returns its path.
    private func keep(_ name: String, _ arguments: [String]) throws -> String {
        let run = try run(arguments)
        try #require(run.ending == .exited(0), "\(run.errors)")
        try File.write(Array((run.output + "\n").utf8), to: files.path(name))
        return files.path(name)
    }

    private func python(_ arguments: [String]) throws -> String {
        try Python.lines(Python.path(of: "check-bundle.py", beside: #filePath), arguments).joined()
    }

    private var key: String {
        get throws { String(try run(["audit", "key", "show"]).output.split(separator: "\n")[0]) }
    }

    @Test func `print a proof that a script verifies from the bytes of the record`() async throws {
        try await blocking {
            let log = try LogReader(LogConfiguration(directory: DataFolder(path: files.data).log))
            for size in 1...3 {
                for position in 0..<size {
                    let proof = try keep("proof", ["audit", "prove", "\(position)", "--size", "\(size)"])
                    try File.write(try #require(try log.record(at: UInt64(position))).bytes, to: files.path("record"))
                    let output = try python(["inclusion", proof, files.path("record"), key])
                    #expect(output == "event \(position)")
                }
            }
            let checkpoint = try keep("checkpoint", ["audit", "checkpoint"])
            #expect(try python(["checkpoint", checkpoint, key]) == "3 events")
            for (arguments, code) in [(["3"], "position_unknown"), (["0", "--size", "4"], "size_invalid")] {
                let run = try run(["audit", "prove"] + arguments)
                #expect(run.ending == .exited(1) && run.errors.contains(code), "\(run.errors)")
            }
        }
    }

    @Test func `prove that a kept checkpoint is of the log, and notice a log that was rewritten`() async throws {
        try await blocking {
            let copy = files.path("copy")
            try #require(run(["backup", copy, "--with-secrets", "--quiet"]).ending == .exited(0))
            let old = try keep("old", ["audit", "checkpoint"])
            try ingest([4, 5, 6, 7])
            let new = try keep("new", ["audit", "checkpoint"])
            for arguments in [[old, new], [old], ["3", "7"]] {
                let proof = try keep("proof", ["audit", "consistency", "--format", "json"] + arguments)
                #expect(try python(["consistency", proof, old, new, key]).isEmpty)
            }
            // The operator restores a copy and appends other events, under the same key.
            try ingest([8, 9, 10, 11, 12], data: copy)
            let honest = try run(["audit", "consistency", old], data: copy)
            #expect(honest.ending == .exited(0), "\(honest.errors)")
            let rewritten = try run(["audit", "consistency", new], data: copy)
            #expect(rewritten.ending == .exited(1) && rewritten.errors.contains("log_rewritten"), "\(rewritten.errors)")
            // A log that is too short has lost events.
            let short = files.path("short")
            try #require(run(["backup", short, "--with-secrets", "--quiet"]).ending == .exited(0))
            let newest = try {
                try ingest([13]); return try keep("newest", ["audit", "checkpoint"])
            }()
            let shorter = try run(["audit", "consistency", newest], data: short)
            #expect(shorter.ending == .exited(1) && shorter.errors.contains("log_rewritten"), "\(shorter.errors)")
            let backwards = try run(["audit", "consistency", "4", "3"])
            #expect(backwards.ending == .exited(1) && backwards.errors.contains("size_invalid"))
            let text = try File.read(old)
            try File.write(Array(text.dropLast(30)) + Array(text.suffix(30).reversed()), to: files.path("bad"))
            #expect(try run(["audit", "consistency", files.path("bad")]).ending == .exited(1))
        }
    }

    @Test func `keep the cosignatures of known witnesses, and show and serve them`() async throws {
        try await blocking {
            let script = Python.path(of: "witness.py", beside: #filePath)
            func cosign(_ name: String, _ seed: Int, _ source: String) throws -> (file: String, key: String) {
                let target = files.path("cosigned-\(name.utf8.count)-\(seed)")
                return (target, try Python.lines(script, [source, target, name, "\(seed)", "1767225600"]).joined())
            }
            let checkpoint = try keep("checkpoint", ["audit", "checkpoint"])
            let first = try cosign("witness.example/a", 1, checkpoint)
            let both = try cosign("witness.example/b", 2, first.file)
            let unknown = try run(["audit", "cosign", first.file, "--witness", both.key])
            #expect(unknown.ending == .exited(1) && unknown.errors.contains("witness_unknown"), "\(unknown.errors)")
            #expect(try run(["audit", "checkpoint", "--cosigned"]).ending == .exited(1))
            var forged = try File.read(first.file)
            forged[forged.count - 6] ^= 1
            try File.write(forged, to: files.path("forged"))
            #expect(try run(["audit", "cosign", files.path("forged"), "--witness", first.key]).ending == .exited(1))
            for (file, key) in [(first.file, first.key), (both.file, both.key)] {
                let kept = try run(["audit", "cosign", file, "--witness", key, "--format", "json"])
                #expect(kept.ending == .exited(0) && kept.output.contains("2026-01-01T00:00:00.000Z"), "\(kept.errors)")
            }
            let shown = try run(["audit", "checkpoint"]).output
            #expect(Array((shown + "\n").utf8) == (try File.read(both.file)))
            let service = try Service(files.data, configuration)
            #expect(try service.get("/checkpoint").hasSuffix(shown + "\n"))
            try service.stop()

            // A bundle takes the first cosigned checkpoint that covers its events.
            try ingest([4])
            #expect(!(try run(["audit", "checkpoint"]).output.contains("witness")))
            #expect(try run(["audit", "checkpoint", "--cosigned"]).output == shown)
            let output = files.path("bundle.zip")
            let written = try run(["audit", "bundle", "--subscription", "2", "--known-at", "2", "--output", output])
            try #require(written.ending == .exited(0), "\(written.errors)")
            let keys = try run(["audit", "key", "show"]).output.split(separator: "\n").map { String($0) }
            let trust = ["--log-key", keys[0], "--bundle-key", keys[1]] + Array(files.trust.prefix(2))
            let check = try Subledger(
                ["audit", "check", output, "--witness", first.key, "--witness", both.key] + trust)
            #expect(check.ending == .exited(0) && check.output.contains("cosigned by"), "\(check.output)")
            let stranger = try cosign("witness.example/c", 3, checkpoint)
            let refused = try Subledger(["audit", "check", output, "--witness", stranger.key] + trust)
            #expect(refused.ending == .exited(1) && refused.output.contains("checkpoint"), "\(refused.output)")
        }
    }

    @Test func `publish a static tree, adding only what is new`() async throws {
        try await blocking {
            let folder = files.path("www/log")
            func publish() throws -> (size: Int64, files: Int64) {
                let run = try run(["audit", "publish", folder, "--format", "json"])
                try #require(run.ending == .exited(0), "\(run.errors)")
                let answer = try #require(try run.lines.first)
                return (answer["size"]?.integer ?? -1, answer["files"]?.integer ?? -1)
            }
            try FileManager.default.createDirectory(atPath: files.path("www"), withIntermediateDirectories: true)
            #expect(try publish() == (3, 2))
            #expect(try publish() == (3, 0))
            try ingest(Array(4...300))
            #expect(try publish() == (300, 5))
            let full = ["tile/0/000", "tile/entries/000"]
            let inodes = try full.map(inode)
            for name in ["tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/001.p/44"] + full {
                #expect(try served(name) == File.read("\(folder)/\(name)"), "\(name)")
            }
            // An interrupted run: the checkpoint and a tile are missing.
            try FileManager.default.removeItem(atPath: folder + "/checkpoint")
            try FileManager.default.removeItem(atPath: folder + "/tile/1/000.p/1")
            #expect(try publish() == (300, 1))
            try ingest([301])
            #expect(try publish() == (301, 2))
            #expect(try full.map(inode) == inodes)
            let checkpoint = try python(["checkpoint", folder + "/checkpoint", key])
            #expect(checkpoint == "301 events")

            // The folder of another history is left alone.
            try File.write(Array("log: {origin: ledger.example/log}\n".utf8), to: files.path("other.yaml"))
            let refused = try Subledger(["audit", "publish", folder, "--data", try other()])
            #expect(refused.ending == .exited(1), "\(refused.errors)")
        }
        @Sendable func inode(_ name: String) throws -> UInt64 {
            let attributes = try FileManager.default.attributesOfItem(atPath: files.path("www/log/\(name)"))
            return try #require(attributes[.systemFileNumber] as? UInt64)
        }
    }

    /// The tile as the tree has it.
    private func served(_ name: String) throws -> [UInt8]? {
        let log = try LogReader(LogConfiguration(directory: DataFolder(path: files.data).log))
        return try log.body(of: #require(TileResource(path: name)), inTreeOf: 300)
    }

    /// Another ledger.
    private func other() throws -> String {
        let archive = try files.archive("other.jsonl", [SignedFiles.transaction("1").text])
        let run = try Subledger(["ingest", archive, "--quiet", "--data", files.path("other")] + files.trust)
        try #require(run.ending == .exited(0), "\(run.errors)")
        return files.path("other")
    }
}
