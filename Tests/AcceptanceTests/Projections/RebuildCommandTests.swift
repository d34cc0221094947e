import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite("Commands about projections") struct RebuildCommandTests {
    @Test func `rebuild, show and drop the states of all subscriptions`() async throws {
        let temporary = try TemporaryFolder()
        let ledger = ProjectedLedger(try temporary.data(), notifications: 60)
        try await ledger.add(0..<50)
        try await blocking {
            let missing = try Subledger(ledger.arguments("show"))
            #expect(missing.ending == .exited(1) && missing.errors.contains("projection_unknown"), "\(missing.errors)")

            let built = try ledger.rebuild().row
            try ledger.requireStates()
            #expect(built.knownAt == 50 && built.isActive && built.isCurrentVersion)
            let status = try #require(try Subledger(ledger.arguments("status")).lines.first)
            #expect(status["projections"]?.elements?.first?["sha256"]?.string == built.sha256.hex)
            let shown = try Subledger(ledger.arguments("show"))
            #expect(try shown.lines.count == built.rows)

            // With the least memory the rows are the same.
            #expect(try ledger.rebuild("--memory", "8388608").row == built)
            let tooLittle = try Subledger(ledger.arguments("rebuild", "--memory", "8388607"))
            #expect(tooLittle.ending == .exited(2))
            #expect(try Subledger(ledger.arguments("rebuild", "--rules", "missing.yaml")).ending == .exited(2))
            #expect(
                try Subledger(["project", "rebuild", "nothing", "--data", ledger.folder.path]).ending == .exited(1))

            let dropped = try Subledger(
                ["project", "drop", String(built.rulesDigest.hex.prefix(8)), "--data", ledger.folder.path])
            #expect(dropped.ending == .exited(0) && dropped.output.contains(built.rulesDigest.hex), "\(dropped.errors)")
            #expect(try ledger.reader().projections().rows.isEmpty)
            let again = try Subledger(["project", "drop", built.rulesDigest.hex, "--data", ledger.folder.path])
            #expect(again.ending == .exited(1))
        }
    }

    @Test func `rebuild under rules that are not active beside the projection of the active ones`() async throws {
        let temporary = try TemporaryFolder()
        let ledger = ProjectedLedger(try temporary.data(), notifications: 20)
        try await ledger.add(0..<20)
        try await blocking {
            let active = try ledger.rebuild().row
            let rules = temporary.path + "/rules.yaml"
            try File.write(Array("name: generous\naccess: {ownGraceDays: 16}\n".utf8), to: rules)
            let other = try Subledger(ledger.arguments("rebuild", "--rules", rules))
            #expect(other.ending == .exited(0), "\(other.errors)")
            let stored = try ledger.reader().projections().rows
            #expect(stored.count == 2 && stored.contains(active))
            #expect(stored.filter(\.isActive) == [active])
            #expect(stored.contains { $0.rulesName == "generous" })
        }
    }

    @Test func `a full disk refuses a rebuild and keeps the old rows`() async throws {
        guard let disk = try SmallDisk(.tmpfs) else {
            print("full disk: mounting a tmpfs is refused here")
            return
        }
        try disk.folder.create()
        let ledger = ProjectedLedger(disk.folder, notifications: 20)
        try await ledger.add(0..<20)
        try await blocking {
            let built = try ledger.rebuild().row
            try disk.fill()
            let refused = try Subledger(ledger.arguments("rebuild"))
            #expect(refused.ending == .exited(3) && refused.errors.contains("disk_full"), "\(refused.errors)")
            #expect(try ledger.reader().projections().rows == [built])
            try ledger.requireStates()
            disk.makeRoom()
            #expect(try ledger.rebuild().row == built)
        }
    }
}
