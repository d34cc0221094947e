import EventLog
import FoundationEssentials
import Glibc
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite("An erased customer", .serialized)
struct ErasureTests {
    @Test func `is found in no file, raw, in base64, inflated or in binary`() async throws {
        try await blocking {
            let ledger = try ErasableLedger()
            let needles = try ledger.needles()
            let before = try ledger.scan(needles)
            for form in [
                "id raw imports/", "id-code raw vault/data.mdb", "token raw log/data.mdb", "token raw vault/data.mdb",
                "token inflated log/data.mdb", "token-words raw derived/", "token base64 quarantine/",
                "token raw imports/",
            ] {
                #expect(before.contains { $0.hasPrefix(form) }, "\(form) in \(before)")
            }
            let (answers, sums) = (try ledger.answers(), try ledger.sums())
            #expect(sums[0].contains("USD"))
            let head = try ledger.reader().log.head()
            let answer = try ledger.erase()
            #expect(answer["erased"]?.bool == true && (answer["evidence"]?.integer ?? 0) >= 7)
            #expect(answer["quarantined"]?.integer == 1 && answer["importRows"]?.integer == 1)
            #expect(try ledger.scan(needles) == [])
            #expect(try ledger.answers() == answers && ledger.sums() == sums)
            #expect(try ledger.reader().log.root(ofFirst: head.size) == head.root)
            let audit = try Subledger(["audit", "verify", "--deep", "--data", ledger.folder.path, "--format", "json"])
            #expect(audit.ending == .exited(0), "\(audit.output) \(audit.errors)")
            let report = try JSONDocument(parsing: Array(audit.output.utf8)).root
            #expect(report["erased"]?.integer == answer["evidence"]?.integer && report["ok"]?.bool == true)
            #expect(try ledger.erase()["erased"]?.bool == false)
        }
    }

    @Test func `is erased through a running service, which answers reads`() async throws {
        try await blocking {
            let ledger = try ErasableLedger()
            let needles = try ledger.needles()
            let answers = try ledger.answers()
            let service = try Service(ledger.folder.path, ledger.files.trust)
            var isInFeed = false
            for _ in 0..<200 where !isInFeed {
                isInFeed = try service.get("/v1/transitions").contains(ErasableLedger.alice)
                if !isInFeed { usleep(50_000) }
            }
            #expect(isInFeed)
            #expect(
                try service.get("/v1/customers/\(ErasableLedger.alice)").contains("\"originalTransactionId\":\"100\""))
            let answer = try ledger.erase()
            #expect(answer["erased"]?.bool == true)
            let unknown = try service.get("/v1/customers/\(ErasableLedger.alice)")
            #expect(unknown.hasPrefix("HTTP/1.1 200") && unknown.contains("\"subscriptions\":[]"))
            let position = try #require(answer["position"]?.integer)
            #expect(try service.get("/v1/evidence/0").hasPrefix("HTTP/1.1 410"))
            #expect(try service.get("/v1/evidence/\(position)").hasPrefix("HTTP/1.1 200"))
            #expect(try !service.get("/v1/transitions").contains(ErasableLedger.token))
            #expect(try ledger.scan(needles) == [])
            try service.stop()
            #expect(try ledger.scan(needles) == [])
            #expect(try ledger.answers() == answers)
        }
    }

    @Test func `is erased completely or not at all, whenever the erasure is killed`() async throws {
        try await blocking {
            let template = try ErasableLedger()
            let (needles, answers) = (try template.needles(), try template.answers())
            let head = try template.reader().log.head()
            let saved = template.files.path("saved")
            try FileManager.default.copyItem(atPath: template.folder.path, toPath: saved)
            let start = ContinuousClock.now
            _ = try template.erase()
            let duration = ContinuousClock.now - start
            var random = SeededRandom(seed: TestEnvironment.seed)
            let rounds = TestEnvironment.isLong ? 1_000 : 12
            var (begun, completed) = (0, 0)
            for round in 0..<rounds {
                try FileManager.default.removeItem(atPath: template.folder.path)
                try FileManager.default.copyItem(atPath: saved, toPath: template.folder.path)
                let after = duration * Double.random(in: 0.2...1.1, using: &random)
                let note: Comment = "round \(round), killed after \(after), seed \(TestEnvironment.seed)"
                try Self.kill(template, after: after)
                let isBegun = try template.reader().log.head().size > head.size
                let hasIntent = FileManager.default.fileExists(atPath: template.folder.path + "/erasure.json")
                if isBegun { begun += 1 }
                if isBegun, !hasIntent { completed += 1 }
                // Another command completes what was begun.
                let next = try Subledger(
                    ["customer", "grant", "bob", "pro", "--because", "a gift", "--data", template.folder.path])
                try #require(next.ending == .exited(0), note)
                let found = try template.scan(needles)
                if isBegun {
                    try #require(found == [], note)
                } else {
                    try #require(found.contains { $0.hasPrefix("token inflated log/") }, note)
                    try #require(try template.erase()["erased"]?.bool == true, note)
                    try #require(try template.scan(needles) == [], note)
                }
                try #require(try template.answers() == answers, note)
                try #require(try template.reader().log.root(ofFirst: head.size) == head.root, note)
                try #require(try Subledger.DeepAudit(template.folder).isSound, note)
                let names = try FileManager.default.subpathsOfDirectory(atPath: template.folder.path)
                try #require(!names.contains { $0.contains("eras") }, note)
            }
            print(
                "SIGKILL during an erasure: \(rounds) rounds, \(begun) had begun, \(completed) were complete,",
                "seed \(TestEnvironment.seed)")
            #expect(begun > 0 && begun - completed > 0)
        }
    }

    private static func kill(_ ledger: ErasableLedger, after delay: Duration) throws {
        let deadline = ContinuousClock.now + delay
        let child = try ChildProcess(
            "subledger", ["customer", "erase", ErasableLedger.alice, "--with-evidence", "--data", ledger.folder.path])
        while child.nextLine(before: deadline) != nil {}
        // It may have ended before.
        _ = child.end(by: SIGKILL)
    }
}
