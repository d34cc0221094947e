import AppStoreSimulation
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An update of a projection` {
    /// A backup that was restored and then continued, beside the projections of the history that it replaced.
    @Test(arguments: Projections.names)
    func `rebuilds when the log is another one`(name: String) async throws {
        let test = try TestLedger()
        for id in 1...60 { try await test.ingest(Purchase("\(id)")) }
        _ = try test.reader.rebuildProjection(name)
        test.close()
        for folder in [test.folder.log, test.folder.derived, test.folder.vault, test.folder.keys] {
            try FileManager.default.removeItem(atPath: folder)
        }
        try test.open()
        for id in 101...161 { try await test.ingest(Purchase("\(id)")) }
        let updated = try test.reader.rebuildProjection(name, isIncremental: true)
        #expect(try updated == test.reader.rebuildProjection(name))
        #expect(updated.knownAt == 61)
    }

    /// The rows of a fixed history, which other tests check. Raise the version of a projection when a change of the code
    /// changes its digest here. Otherwise an update keeps rows of the code before.
    @Test(arguments: [
        "subscription-status": "9e6608c8182c15e004f5ac1f9df2bdd6ca8db223a28260ad09fd5d579366eb32",
        "transitions": "8bc7b8235b54e7ce5f2709943fea54174dfc57101d61e4f5e464fd171b1bb1b3",
    ])
    func `has rows that change with the version alone`(name: String, sha256: String) async throws {
        let simulated = SimulatedHistory(seed: 7, customers: 12)
        let test = try FeedLedger(at: Instant(milliseconds: 1_800_000_000_000))
        for artifact in simulated.artifacts { try await test.append(artifact.jws) }
        let row = try test.ledger.reader.rebuildProjection(name)
        #expect(row.sha256.hex == sha256)
    }
}
