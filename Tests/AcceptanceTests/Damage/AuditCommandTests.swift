import AppStoreSimulation
import Glibc
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite("audit verify", .serialized)
struct AuditCommandTests {
    private static let purchases = 40

    /// A ledger of purchases that are signed under a root of the operator's.
    private static func ledger() throws -> SignedFiles {
        let files = try SignedFiles()
        let lines = (0..<purchases).map { SignedFiles.transaction("\($0 + 1)").text }
        let archive = try files.archive("purchases.jsonl", lines)
        let ingest = try Subledger(["ingest", archive, "--data", files.data] + files.trust)
        try #require(ingest.ending == .exited(0), "\(ingest.errors)")
        return files
    }

    @Test func `names the root that the auditor lacks instead of calling that tampering`() async throws {
        try await blocking {
            let files = try Self.ledger()
            let arguments = ["audit", "verify", "--signatures", "--data", files.data, "--format"]
            let table = try Subledger(arguments + ["table"])
            #expect(table.ending == .exited(1))
            #expect(table.output.hasPrefix("FAIL  1 root of yours is needed: --trust-root FILE"), "\(table.output)")
            #expect(table.output.contains("needed by \(Self.purchases) artifacts, first at position 0"))
            let json = try #require(try Subledger(arguments + ["json"]).lines.first)
            #expect(json["ok"]?.bool == false && json["events"]?.integer == Int64(Self.purchases))
            #expect(json["firstBad"]?["code"]?.string == "root_needed")
            #expect(json["roots"]?.elements?.count == 1)
            let sha256 = try #require(json["roots"]?.elements?.first?["sha256"]?.string)
            #expect(sha256 == Digest.sha256(of: try File.read(files.path("root.der"))).hex)
        }
    }

    @Test func `passes with the root, and tells what it checked and what not`() async throws {
        try await blocking {
            let files = try Self.ledger()
            let arguments = ["audit", "verify", "--data", files.data]
            let root = ["--trust-root", files.path("root.der")]
            let run = try Subledger(arguments + ["--signatures", "--format", "table"] + root)
            #expect(run.ending == .exited(0), "\(run.errors)")
            #expect(run.output.hasPrefix("PASS  \(Self.purchases) events, root "))
            #expect(run.output.contains("\(Self.purchases) signed; \(Self.purchases) of them rest on a root of yours"))
            #expect(run.output.contains("\(Self.purchases) are valid"))
            #expect(run.output.contains("not checked  pages and derived data (--deep)"))
            let json = try #require(
                try Subledger(arguments + ["--signatures", "--deep", "--format", "json"] + root).lines.first)
            #expect(json["ok"]?.bool == true && json["signatures"]?.integer == Int64(Self.purchases))
            #expect(json["counts"]?["signed"]?.integer == Int64(Self.purchases))
            #expect(json["counts"]?["configuredRoot"]?.integer == Int64(Self.purchases))
            #expect(json["size"]?.integer == Int64(Self.purchases) && json["root"]?.string?.count == 64)
            #expect(json["derived"]?.elements?.count == 6)
        }
    }

    /// A disk on which nothing can be written, also by root.
    @Test func `works on a read-only copy`() async throws {
        try await blocking {
            let files = try Self.ledger()
            let place = files.path("read-only")
            mkdir(place, 0o700)
            guard mount(files.data, place, nil, UInt(MS_BIND), nil) == 0 else {
                print("audit: mounting is refused here")
                return
            }
            defer { umount2(place, Int32(MNT_DETACH)) }
            try #require(mount(nil, place, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0)
            try #require(open(place + "/new", O_WRONLY | O_CREAT, 0o600) < 0 && errno == EROFS)
            let audit = try Subledger([
                "audit", "verify", "--signatures", "--deep", "--format", "json", "--data", place, "--trust-root",
                files.path("root.der"),
            ])
            #expect(audit.ending == .exited(0), "\(audit.output) \(audit.errors)")
            let derived = AuditReport(json: try #require(try audit.lines.first)).derived
            let compared = derived.filter { $0.compared > 0 }.map(\.part)
            #expect(compared == ["facts", "index", "timelines", "identities"], "\(derived)")
        }
    }

    /// Another user, who may read the files and write nothing, not even to the locks.
    @Test func `works for a user who may only read`() async throws {
        try await blocking {
            let files = try Self.ledger()
            guard getuid() == 0, access("/usr/bin/setpriv", X_OK) == 0 else {
                print("audit: other users are out of reach here")
                return
            }
            _ = try ChildProcess("/bin/chmod", ["-R", "a+rX", files.path("")]).end()
            let audit = try ChildProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid", "65534", "--regid", "65534", "--clear-groups",
                    try ChildProcess.folder() + "/subledger", "audit", "verify", "--signatures", "--deep", "--format",
                    "json", "--data", files.data, "--trust-root", files.path("root.der"),
                ], environment: ["TMPDIR": "/tmp"])
            let output = audit.remainingLines().joined()
            #expect(audit.end() == .exited(0), "\(output) \(audit.standardError)")
            let report = AuditReport(json: try JSONDocument(parsing: Array(output.utf8)).root)
            #expect(report.signatures == Self.purchases && report.derived.filter { $0.compared > 0 }.count == 4)
        }
    }

    /// The service follows the log with its derived data while the audits run.
    @Test func `works beside a service that appends`() async throws {
        try await blocking {
            let files = try Self.ledger()
            let service = try Service(files.data, files.trust)
            for round in 1...3 {
                let lines = (0..<Self.purchases).map { SignedFiles.transaction("\(round * 1_000 + $0)").text }
                let archive = try files.archive("more-\(round).jsonl", lines)
                let ingest = try ChildProcess("subledger", ["ingest", archive, "--data", files.data] + files.trust)
                let audit = try Subledger.DeepAudit(DataFolder(path: files.data))
                #expect(audit.isSound, "\(audit)")
                _ = ingest.remainingLines()
                #expect(ingest.end() == .exited(0), "\(ingest.standardError)")
            }
            let audit = try Subledger.DeepAudit(DataFolder(path: files.data))
            #expect(audit.isSound && audit.events == 4 * Self.purchases, "\(audit)")
            try service.stop()
        }
    }
}
