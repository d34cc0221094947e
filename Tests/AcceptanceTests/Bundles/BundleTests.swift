import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite("Bundles of a ledger", .serialized) struct BundleTests {
    private static let authority = Result { try TimeStampAuthority() }
    private static let simulated = Result { try BundledLedger.simulated(authority.get()) }

    private static func questions(_ ledger: BundledLedger) throws -> [String: [String]] {
        let subscriptions = try ledger.subscriptions()
        let charges = try ledger.run(["revenue", "--charges"]).lines.first?["rows"]?.elements ?? []
        let renewal =
            charges.compactMap { row -> String? in
                row["transactionId"]?.string.flatMap { $0 == row["originalTransactionId"]?.string ? nil : $0 }
            }.first ?? subscriptions[0]
        let cell = ["--cell", "2025-02,1"]
        return [
            "subscription": ["--subscription", subscriptions[0]],
            "earlier": [
                "--subscription", subscriptions[1], "--as-of", "2025-05-01", "--signed-by", "2025-05-02",
            ],
            "transaction": ["--transaction", renewal], "cell": cell, "sample": cell + ["--sample", "2"],
            "close": ["--close", "2025-06"],
        ]
    }

    @Test func `of every kind are accepted, here and by a script that shares no code`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            for (kind, question) in try Self.questions(ledger).sorted(by: { $0.key < $1.key }) {
                let bundle = try ledger.bundle(question, kind + ".zip")
                let notes = try ledger.requireSound(bundle, ["--tsa-root", Self.authority.get().path("root.pem")])
                #expect(notes.count == 6 && notes.values.allSatisfy { $0.hasPrefix("PASS") }, "\(kind): \(notes)")
                // The same question gives the same bytes.
                let again = try ledger.bundle(question + ["--known-at", "\(try knownAt(bundle, ledger))"], "again.zip")
                if !question.contains("--as-of") && kind != "close" { continue }
                #expect(try File.read(again) == File.read(bundle), "\(kind)")
            }
            for kind in ["subscription", "transaction", "cell", "close"] {
                let folder = try ledger.extracted(ledger.path(kind + ".zip"))
                let output = try ledger.python(
                    "check-bundle.py", ["bundle", folder, ledger.logKey, ledger.bundleKey, ledger.root ?? ""])
                #expect(output.hasSuffix(" events"), "\(output)")
            }
        }
    }

    private func knownAt(_ bundle: String, _ ledger: BundledLedger) throws -> Int64 {
        let folder = try ledger.extracted(bundle)
        let answer = try JSONDocument(parsing: File.read(folder + "/answer/answer.json")).root
        return try #require(answer["question"]?["knownAt"]?.integer)
    }

    @Test func `about a customer name no external id unless asked, and fold links and merges`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let subscriptions = try ledger.subscriptions()
            for (id, key) in [("alice@example.com", subscriptions[2]), ("alice-2", subscriptions[3])] {
                try ledger.require(["customer", "link", id, "--subscription", key, "--environment", "Production"])
            }
            try ledger.require(["customer", "merge", "alice@example.com", "--from", "alice-2"])
            let bundle = try ledger.bundle(["--customer", "alice@example.com"], "customer.zip")
            let notes = try ledger.requireSound(bundle)
            #expect(notes[7]?.hasPrefix("PASS") == true)
            let folder = try ledger.extracted(bundle)
            let answer = try JSONDocument(parsing: File.read(folder + "/answer/answer.json")).root["answer"]
            #expect((answer?["subscriptions"]?.elements?.count ?? 0) >= 2 && answer?["id"]?.isNull == true)
            #expect((answer?["history"]?.elements?.count ?? 0) >= 2)
            #expect(try !File.read(bundle).contains("alice@example.com"))
            let named = try ledger.bundle(["--customer", "alice@example.com", "--with-customer-id"], "named.zip")
            try ledger.requireSound(named)
            #expect(try File.read(named).contains("alice@example.com"))
            _ = try ledger.python(
                "check-bundle.py", ["bundle", folder, ledger.logKey, ledger.bundleKey, ledger.root ?? ""])

            // The answer that a backend got is compared, apart from positions.
            let given = try ledger.run(["customer", "show", "alice@example.com"])
            try File.write(Array(given.output.utf8), to: ledger.path("given.json"))
            let asOf = try #require(try given.lines.first?["asOf"]?.string)
            let question = ["--customer", "alice@example.com", "--as-of", asOf, "--answer", ledger.path("given.json")]
            let same = try ledger.requireSound(try ledger.bundle(question, "given.zip"))
            #expect(same[7]?.contains("the given answer is the same") == true, "\(same)")
            let altered = given.output.replacing("\"status\":\"expired\"", with: "\"status\":\"active\"")
            try #require(altered != given.output)
            try File.write(Array(altered.utf8), to: ledger.path("given.json"))
            let other = try ledger.check(try ledger.bundle(question, "given.zip"))
            #expect(other.ending == .exited(1))
            #expect(try other.lines.first?["firstBad"]?.string == "answer/given.json", "\(other.output)")

            let unknown = try ledger.run(["audit", "bundle", "--customer", "nobody", "--output", ledger.path("n.zip")])
            #expect(unknown.ending == .exited(1) && unknown.errors.contains("subject_unknown"))
        }
    }

    @Test func `of what Apple really signed are accepted under Apple's roots alone, long after it expired`()
        async throws
    {
        try await blocking {
            guard let ledger = try BundledLedger.recorded() else { return }
            let question = [
                "--subscription", SessionConformance.originalTransactionId, "--environment", "Sandbox",
                "--as-of", "1759388856473",
            ]
            let bundle = try ledger.bundle(question)
            let notes = try ledger.requireSound(bundle)
            #expect(notes[5]?.hasPrefix("PASS") == true && notes[7]?.hasPrefix("PASS") == true, "\(notes)")
            #expect(notes[6] == "-: the bundle has no anchor")
            let folder = try ledger.extracted(bundle)
            _ = try ledger.python("check-bundle.py", ["bundle", folder, ledger.logKey, ledger.bundleKey])
            try runCommands(of: folder)
        }
    }

    @Test func `with any flipped bit are refused, even if the operator signs them again`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let bundle = try ledger.bundle(["--subscription", try ledger.subscriptions()[4]], "flips.zip")
            let folder = try ledger.extracted(bundle)
            let output = try ledger.python(
                "flip-bundle.py",
                [
                    folder, ledger.logKey, ledger.bundleKey, "\(TestEnvironment.seed)", "1000",
                    ledger.folder.bundleKey, "100", ledger.root ?? "",
                ])
            print(output)

            let bytes = try File.read(bundle)
            var random = SeededRandom()
            for _ in 0..<40 {
                let place = Int.random(in: bytes.indices, using: &random)
                var flipped = bytes
                flipped[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                try File.write(flipped, to: ledger.path("flipped.zip"))
                let run = try ledger.check(ledger.path("flipped.zip"))
                #expect(run.ending == .exited(1), "byte \(place): \(run.output) \(run.errors)")
            }
        }
    }

    @Test func `whose operator signs another answer, other rules or fewer events are refused`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let bundle = try ledger.bundle(["--subscription", try ledger.subscriptions()[0]], "honest.zip")
            let files = try ledger.extracted(bundle)
            let index = String(decoding: try File.read(files + "/index.ndjson"), as: UTF8.self)
            let line = try #require(index.split(separator: "\n").first { $0.contains("\"answer\"") })
            let position = try #require(try JSONDocument(parsing: Array(line.utf8)).root["position"]?.integer)
            let removed = ["records/\(position).bin", "proofs/\(position).tlog-proof", "evidence/\(position).jws"]
            let erased = String(line).replacing("\"\(removed[2])\"", with: "null")
                .replacing("\"present\"", with: "\"erased\"")
            let cases: [(changes: [String], firstBad: String)] = [
                // Nothing in the bundle says that it was erased.
                (["index.ndjson", "\(line)", erased, removed[2], "", "REMOVED"], "index.ndjson"),
                (["answer/answer.json", "\"status\":\"expired\"", "\"status\":\"active\""], "answer/answer.json"),
                (["answer/rules.json", "\"ownGraceDays\":2", "\"ownGraceDays\":3"], "answer/rules.json"),
                (["bundle.json", "\"kind\":\"subscription\"", "\"kind\":\"customer\""], "bundle.json"),
                (["index.ndjson", "\"trust\":\"signed\"", "\"trust\":\"fetched\""], "index.ndjson"),
                (["index.ndjson", "\(line)\n", ""], removed[2]),
                (
                    ["index.ndjson", "\(line)\n", ""] + removed.flatMap { [$0, "", "REMOVED"] },
                    "answer/answer.json"
                ),
                (["answer/answer.json", "\"schema\":1", "\"schema\": 1"], "answer/answer.json"),
            ]
            for (changes, firstBad) in cases {
                let forged = ledger.path("forged.zip")
                try ledger.python(
                    "bundle_zip.py", [bundle, forged, ledger.bundleKey, ledger.folder.bundleKey] + changes)
                let run = try ledger.check(forged)
                #expect(run.ending == .exited(1), "\(changes): \(run.errors)")
                #expect(try run.lines.first?["firstBad"]?.string == firstBad, "\(changes): \(run.output)")
            }
        }
    }

    @Test func `in hostile ZIP files are refused with a code`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let bundle = try ledger.bundle(["--close", "2025-06"], "hostile.zip")
            let output = try ledger.python("hostile-zip.py", [bundle, ledger.path("hostile")])
            let names = output.split(separator: "\n").map { String($0) }
            #expect(names.count > 15)
            for name in names {
                let run = try ledger.check(ledger.path("hostile/\(name)"))
                #expect(run.ending == .exited(1), "\(name): \(run.ending) \(run.output)")
                let error = try JSONDocument(parsing: Array(run.errors.utf8)).root["error"]
                #expect(
                    ["bundle_malformed", "bundle_too_large"].contains(error?["code"]?.string), "\(name): \(run.errors)")
            }
            let missing = try ledger.check(ledger.path("missing.zip"))
            #expect(missing.ending == .exited(3) && missing.errors.contains("io_error"))
        }
    }

    @Test func `do not pass for another log or bundle key`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let bundle = try ledger.bundle(["--close", "2025-06"], "keys.zip")
            let other = "other.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
            for (name, keys) in [
                ("bundle", ["--log-key", ledger.logKey, "--bundle-key", ledger.logKey]),
                ("log", ["--log-key", ledger.bundleKey, "--bundle-key", ledger.bundleKey]),
            ] {
                let run = try Subledger(["audit", "check", bundle, "--format", "json"] + keys)
                #expect(run.ending == .exited(1) && run.output.contains("SHA256SUMS.note"), "\(name): \(run.output)")
            }
            let malformed = try Subledger(["audit", "check", bundle, "--log-key", other, "--bundle-key", other])
            #expect(malformed.ending == .exited(1) && malformed.errors.contains("note_key_malformed"))
            let untrusted = try Subledger([
                "audit", "check", try ledger.bundle(["--subscription", try ledger.subscriptions()[0]], "root.zip"),
                "--log-key", ledger.logKey, "--bundle-key", ledger.bundleKey, "--format", "json",
            ])
            #expect(untrusted.ending == .exited(1) && untrusted.output.contains("chain_untrusted"))
        }
    }

    @Test func `are checked by the commands of their README`() async throws {
        try await blocking {
            let ledger = try Self.simulated.get()
            let bundle = try ledger.bundle(["--subscription", try ledger.subscriptions()[0]], "commands.zip")
            let commands = try runCommands(of: ledger.extracted(bundle))
            for name in ["sha256sum", "openssl verify", "openssl ts"] {
                #expect(commands.contains { $0.hasPrefix(name) }, "\(name) of \(commands)")
            }
        }
    }

    /// Runs every command in the README.md of an extracted bundle, and returns them.
    @discardableResult
    private func runCommands(of folder: String) throws -> [String] {
        let lines = String(decoding: try File.read(folder + "/README.md"), as: UTF8.self).split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("openssl") || $0.hasPrefix("sha256sum") }.map { String($0) }
        for command in commands {
            let child = try ChildProcess("/bin/bash", ["-c", "cd '\(folder)' && \(command)"])
            child.closeInput()
            let output = child.remainingLines()
            try #require(child.end(by: nil) == .exited(0), "\(command): \(output) \(child.standardError)")
        }
        return commands
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return indices.dropLast(Swift.max(0, wanted.count - 1)).contains { start in
            self[start] == wanted[0] && self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
