import CMS
import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite(.serialized) struct `Anchors of a ledger` {
    private static let authority = Result { try TimeStampAuthority() }
    private let ledger: AnchoredLedger

    init() throws {
        ledger = try AnchoredLedger(Self.authority.get())
        try ledger.ingest([1, 2, 3])
    }

    private func code(of run: Subledger) throws -> String? {
        try #require(run.ending != .exited(0), "\(run.output)")
        return try JSONDocument(parsing: Array(run.errors.utf8)).root["error"]?["code"]?.string
    }

    @Test func `each is requested, stored and verified, by openssl too`() throws {
        let request = try ledger.request()
        #expect(try File.read(ledger.anchors("3.tsq")) == request)
        let query = try TimeStampAuthority.openssl(["ts", "-query", "-in", ledger.files.path("request.tsq"), "-text"])
        #expect(query.contains("Certificate required: yes"))
        // A pending request is written again, also to standard output, and says what to do with it.
        #expect(try ledger.request() == request)
        let piped = try ledger.run(["audit", "anchor", "--request", "-"])
        #expect(piped.ending == .exited(0) && piped.errors.contains("--data-binary @REQUEST URL > RESPONSE"))
        #expect(try rows().map { $0["state"]?.string } == ["pending"])
        #expect(try ledger.audit() == (nil, 0))

        let accepted = try ledger.accept(try ledger.authority.reply(to: request))
        try #require(accepted.ending == .exited(0), "\(accepted.errors)")
        let row = try #require(try rows().first)
        #expect(row["size"]?.integer == 3 && row["state"]?.string == "verified")
        #expect(row["tsa"]?.string == "CN=Time stamps\\, Ltd" && row["problem"]?.isNull == true)
        try requireOpenSSLAccepts(row)
        #expect(try ledger.audit() == (nil, 1))

        // A later anchor needs no root, and a repeated response changes nothing.
        try ledger.ingest([4])
        let second = try ledger.authority.reply(to: ledger.request())
        for _ in 0..<2 { #expect(try ledger.accept(second, []).ending == .exited(0)) }
        #expect(try rows().map { $0["size"]?.integer } == [3, 4])
        #expect(try ledger.audit(["--deep"]) == (nil, 2))
        #expect(try ledger.audit(["--tsa-root", ledger.root]) == (nil, 2))
    }

    private func rows() throws -> [JSONView] {
        let run = try ledger.run(["audit", "anchor", "--list"])
        return try #require(try run.lines.first?["anchors"]?.elements)
    }

    /// Verifies an anchor as its user would, at the time stamped.
    private func requireOpenSSLAccepts(_ row: JSONView) throws {
        let genTime = try #require(row["genTime"]?.string.flatMap { Instant(iso8601: $0) })
        let output = try TimeStampAuthority.openssl([
            "ts", "-verify", "-data", ledger.anchors("3.checkpoint"), "-in", ledger.anchors("3.tsr"),
            "-CAfile", ledger.anchors("tsa-root.pem"), "-attime", "\(genTime.milliseconds / 1_000)",
        ])
        #expect(output == "Verification: OK")
    }

    @Test func `a response is stored only if it answers a request`() throws {
        let request = try TimeStampRequest(parsing: ledger.request())
        let authority = ledger.authority
        func refuse(_ response: [UInt8], _ code: String, _ options: [String]? = nil, _ ending: Int32 = 1) throws {
            let run = try ledger.accept(response, options)
            #expect(run.ending == .exited(ending) && run.output.isEmpty)
            #expect(try self.code(of: run) == code, "\(run.errors)")
        }
        let other = TimeStampRequest(imprint: .sha256(of: [1]), nonce: request.nonce)
        try refuse(authority.response(to: other), "anchor_unknown")
        let later = TimeStampRequest(imprint: request.imprint, nonce: request.nonce &+ 1)
        try refuse(authority.response(to: later), "nonce_mismatch")
        try refuse(authority.reply(to: request.bytes, kind: "picky"), "timestamp_rejected")
        try refuse(authority.response(to: request, by: "plain"), "tsa_purpose_invalid")
        let good = try authority.reply(to: request.bytes)
        try refuse(good, "tsa_root_missing", [], 2)
        try refuse(good, "tsa_untrusted", ["--tsa-root", authority.path("other.pem")])
        try refuse(good, "certificate_malformed", ["--tsa-root", authority.path("ts.cnf")])
        try refuse(good, "io_error", ["--tsa-root", authority.path("none.pem")], 3)
        try refuse(authority.response(to: request, genTime: "20210601000000Z", by: "expired"), "tsa_untrusted")
        try refuse(good + [0], "timestamp_malformed")
        try refuse(Array(good.dropLast()), "timestamp_malformed")
        let stored = try FileManager.default.contentsOfDirectory(atPath: ledger.folder.anchors)
        #expect(stored.sorted() == ["3.checkpoint", "3.tsq", "LOCK"])
        #expect(try ledger.accept(good).ending == .exited(0))
        // Another good response to the same request does not replace the first one.
        try refuse(authority.reply(to: request.bytes), "anchor_exists")
        #expect(try File.read(ledger.anchors("3.tsr")) == good)
        let again = try ledger.run(["audit", "anchor", "--request", ledger.files.path("again.tsq")])
        #expect(try code(of: again) == "anchor_exists")
    }

    @Test func `a time stamp is verified after its certificate has expired, also in a copy`() throws {
        let request = try TimeStampRequest(parsing: ledger.request())
        let expired = try ledger.authority.response(to: request, genTime: "20200601000000Z", by: "expired")
        #expect(try ledger.accept(expired).ending == .exited(0))
        #expect(try ledger.audit() == (nil, 1))
        for secrets in [[], ["--with-secrets"]] {
            let copy = ledger.files.path("copy\(secrets.count)")
            #expect(try ledger.run(["backup", copy] + secrets).ending == .exited(0))
            #expect(try ledger.audit(data: copy) == (nil, 1))
            // A copy without keys gets a new one. The time stamp does not depend on it.
            try ledger.ingest([4], data: copy)
            #expect(try ledger.audit(data: copy) == (nil, 1))
        }
    }

    @Test func `an intermediate certificate that the response lacks is given and kept`() throws {
        let intermediate = try ledger.authority.certificate("intermediate")
        let request = try TimeStampRequest(parsing: ledger.request())
        // Other bytes of the same length: nothing signs the list of certificates.
        let lacking = try ledger.authority.response(to: request)
            .replacing(Array(intermediate.suffix(200)), with: [UInt8](repeating: 0, count: 200))
        #expect(try code(of: ledger.accept(lacking)) == "tsa_untrusted")
        let chain = ["--tsa-root", ledger.root, "--tsa-chain", ledger.authority.path("intermediate.pem")]
        #expect(try ledger.accept(lacking, chain).ending == .exited(0))
        #expect(try CertificateFile.certificates(in: File.read(ledger.anchors("tsa-chain.pem"))) == [intermediate])
        #expect(try ledger.audit() == (nil, 1))
    }

    @Test func `another log of the same size, with the same key, is found out`() throws {
        #expect(try ledger.anchor() == 3)
        try ledger.ingest([4])
        #expect(try ledger.audit() == (nil, 1))
        for (ids, what) in [([1, 2, 30, 4], "began with other events"), ([1, 2], "only 2 events")] {
            let other = ledger.files.path("rewritten\(ids.count)")
            try ledger.ingest(ids, data: other)
            #expect(try ledger.audit(data: other) == (nil, 0))
            for part in ["keys/checkpoint.key", "anchors"] {
                try? FileManager.default.removeItem(atPath: "\(other)/\(part)")
                try FileManager.default.copyItem(atPath: "\(ledger.files.data)/\(part)", toPath: "\(other)/\(part)")
            }
            let finding = try #require(try ledger.audit(data: other).finding)
            #expect(
                try ledger.run(["audit", "verify"], data: other).lines.first?["events"]?.integer == Int64(ids.count))
            #expect(finding.hasPrefix("anchor 3: ") && finding.contains(what), "\(finding)")
        }
    }

    @Test func `a pending request is not repeated for another log of the same size`() throws {
        _ = try ledger.request()
        let other = ledger.files.path("rewritten")
        try ledger.ingest([1, 2, 30], data: other)
        try FileManager.default.copyItem(atPath: ledger.folder.anchors, toPath: "\(other)/anchors")
        let request = try ledger.run(["audit", "anchor", "--request", "-"], data: other)
        #expect(try code(of: request) == "anchor_conflict")
        #expect(try ledger.audit(data: other).finding?.contains("began with other events") == true)
    }

    @Test func `a stored file that is changed, missing or of another authority is a finding`() throws {
        #expect(try ledger.anchor() == 3)
        func expectFinding(_ what: String, _ options: [String] = []) throws {
            let finding = try ledger.audit(options).finding
            #expect(finding?.hasPrefix("anchor 3: ") == true && finding?.contains(what) == true, "\(finding ?? "none")")
        }
        try expectFinding("tsa_untrusted", ["--tsa-root", ledger.authority.path("other.pem")])
        let changes: [(name: String, change: ([UInt8]) -> [UInt8]?, what: String)] = [
            ("3.tsr", { $0.dropLast(1) + [$0[$0.count - 1] ^ 1] }, "timestamp_signature_invalid"),
            ("3.tsr", { Array($0.dropLast()) }, "timestamp_malformed"),
            ("3.tsq", { $0.dropLast(4) + [$0[$0.count - 4] ^ 1] + $0.suffix(3) }, "nonce_mismatch"),
            ("3.tsq", { Array($0.dropLast()) }, "not a request"),
            ("3.tsq", { _ in nil }, "3.tsq is missing"),
            ("3.checkpoint", { _ in nil }, "3.checkpoint is missing"),
            ("3.checkpoint", { _ in Array("note".utf8) }, "note_malformed"),
            ("3.checkpoint", Self.resigned, "imprint_mismatch"),
            (
                "3.checkpoint", { $0.dropLast(9) + [$0[$0.count - 9] == 65 ? 66 : 65] + $0.suffix(8) },
                "note_signature_invalid"
            ),
            ("tsa-root.pem", { _ in nil }, "tsa_untrusted"),
        ]
        for (name, change, what) in changes {
            let path = ledger.anchors(name)
            let original = try File.read(path)
            if let changed = change(original) {
                try File.write(changed, to: path)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            try expectFinding(what)
            if name == "3.tsr" {
                let row = try #require(try rows().first)
                #expect(row["state"]?.string == "invalid" && row["problem"]?.string?.hasPrefix(what) == true)
                #expect(row["genTime"]?.isNull == true)
            }
            try File.write(original, to: path)
            #expect(try ledger.audit() == (nil, 1))
        }
    }

    /// Returns a note with one more signature, by a key that nobody knows.
    private static func resigned(_ note: [UInt8]) -> [UInt8] {
        let line = "— ledger.example/other \(Base64.encode([UInt8](repeating: 7, count: 68)))\n"
        return note + Array(line.utf8)
    }

    @Test func `the remains of a crash are replaced, beside a service too`() async throws {
        try await blocking {
            let service = try ledger.service()
            try FileManager.default.createDirectory(atPath: ledger.folder.anchors, withIntermediateDirectories: true)
            for name in ["3.checkpoint", "3.checkpoint.partial", "3.tsq.partial", "x.tsq"] {
                try File.write([1], to: ledger.anchors(name))
            }
            #expect(try rows().isEmpty)
            #expect(try ledger.audit() == (nil, 0))
            #expect(try ledger.anchor() == 3)
            #expect(try ledger.audit() == (nil, 1))
            try service.stop()
        }
    }

    @Test func `one process at a time stores an anchor`() throws {
        let response = try ledger.authority.reply(to: ledger.request())
        let lock = try FolderLock(file: ledger.anchors("LOCK"), refusal: "held by this test", hint: "")
        #expect(try code(of: ledger.run(["audit", "anchor", "--request", "-"])) == "locked")
        #expect(try code(of: ledger.accept(response)) == "locked")
        #expect(try ledger.audit() == (nil, 0))
        withExtendedLifetime(lock) {}
    }

    @Test func `options that exclude each other are refused`() throws {
        for options in [[], ["--list", "--request", "-"], ["--list", "--tsa-root", ledger.root]] {
            #expect(try ledger.run(["audit", "anchor"] + options).ending == .exited(2))
        }
    }
}
