import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import LMDB
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

/// Data in `derived/` that was changed through LMDB, which does not notice.
@Suite struct `A deep audit of derived data` {
    private static let count = 120

    /// A ledger of notifications with everything derived from them, and a quarantined item.
    private static func ledger() async throws -> ScratchLedger {
        let scratch = try ScratchLedger(
            trust: TrustPolicy(configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]))
        let notifications = BulkNotifications(count: count)
        try await scratch.ingestInBulk(notifications.map(\.jws.compact))
        await #expect(throws: Refusal.self) { try await scratch.ingest([notifications[0].jws.forged.compact]) }
        try scratch.ledger.reader.facts.store()
        try scratch.ledger.log.storeKeys()
        try scratch.ledger.transitions().advance()
        scratch.close()
        return scratch
    }

    private static func audit(_ scratch: ScratchLedger) async throws -> AuditReport {
        var options = LedgerAudit.Options()
        options.deep = true
        return try await LedgerAudit(Ledger.Configuration(folder: scratch.folder) { .latest }, options).run { _ in }
    }

    /// Changes the values of a database.
    private static func change(
        _ directory: String, _ database: String, integerKeys: Bool = true,
        _ body: (borrowing ReadTransaction, Database) throws -> [(key: [UInt8], value: [UInt8]?)]
    ) throws {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = 8 << 30
        let environment = try LMDB.Environment(directory: directory, options: options)
        let opened = try environment.openDatabase(database, flags: integerKeys ? .integerKey : [])
        let changes = try environment.read { try body($0, opened) }
        try environment.write { transaction in
            for (key, value) in changes {
                if let value {
                    try transaction.put(value.span.bytes, at: key.span.bytes, in: opened)
                } else {
                    try transaction.delete(key.span.bytes, in: opened)
                }
            }
        }
    }

    /// Returns an entry of a database with one changed bit in its value.
    private static func flipped(
        _ transaction: borrowing ReadTransaction, _ database: Database, entry number: Int, byte: Int
    ) throws -> [(key: [UInt8], value: [UInt8]?)] {
        var cursor = try transaction.cursor(in: database)
        for _ in 0..<number { _ = try cursor.next() }
        guard let entry = try cursor.next() else { return [] }
        var value = entry.value.withUnsafeBytes { Array($0) }
        value[byte < 0 ? value.count + byte : byte] ^= 4
        return [(entry.key.withUnsafeBytes { Array($0) }, value)]
    }

    @Test func `compares all of it, and finds nothing in what nobody touched`() async throws {
        let report = try await Self.audit(Self.ledger())
        #expect(report.firstBad == nil)
        #expect(
            report.derived.map(\.part) == ["facts", "index", "timelines", "identities", "transitions", "quarantine"])
        #expect(report.derived.allSatisfy { $0.compared > 0 && $0.behind == 0 && $0.note == nil }, "\(report.derived)")
        #expect(report.derived.first { $0.part == "timelines" }?.compared == 12)
    }

    @Test func `says what is not stored, and does not call it a fault`() async throws {
        let scratch = try await Self.ledger()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        let report = try await Self.audit(scratch)
        #expect(report.firstBad == nil && report.events == Self.count)
        #expect(report.derived.filter { $0.compared == 0 }.map(\.part) == report.derived.dropLast().map(\.part))
        #expect(report.derived.dropLast().allSatisfy { $0.note != nil })
        #expect(report.derived[0].behind == Self.count)
    }

    @Test func `says how far it is behind`() async throws {
        let scratch = try await Self.ledger()
        let older = scratch.folder.path + "-older"
        defer { try? FileManager.default.removeItem(atPath: older) }
        try FileManager.default.copyItem(atPath: scratch.folder.derived, toPath: older)
        try scratch.open()
        try await scratch.ingest([SampleArtifact.transaction().compact])
        scratch.close()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        try FileManager.default.moveItem(atPath: older, toPath: scratch.folder.derived)
        let report = try await Self.audit(scratch)
        #expect(report.firstBad == nil && report.events == Self.count + 1)
        for part in report.derived where ["facts", "identities", "transitions"].contains(part.part) {
            #expect(part.behind == 1 && part.compared > 0, "\(part)")
        }
    }

    @Test func `names the first event whose facts differ`() async throws {
        let scratch = try await Self.ledger()
        try Self.change(scratch.folder.facts, "facts") {
            try Self.flipped($0, $1, entry: 70, byte: -9) + Self.flipped($0, $1, entry: 31, byte: 40)
        }
        let report = try await Self.audit(scratch)
        guard case .derived(let what) = report.firstBad else {
            Issue.record("\(report)")
            return
        }
        #expect(what == "the facts at position 31 are not those of its evidence")
        #expect(report.events == Self.count, "the log is sound")
    }

    @Test(arguments: ["terms.blocks", "terms.filters", "terms.runs", "symbols"])
    func `finds a changed index of facts`(database: String) async throws {
        let scratch = try await Self.ledger()
        let hasIntegerKeys = database == "terms.runs" || database == "symbols"
        try Self.change(scratch.folder.facts, database, integerKeys: hasIntegerKeys) {
            try Self.flipped($0, $1, entry: 0, byte: -1)
        }
        try await Self.requireDerivedFault(scratch)
    }

    @Test(arguments: ["keys.blocks", "keys.filters", "keys.runs"])
    func `finds a changed duplicate index`(database: String) async throws {
        let scratch = try await Self.ledger()
        try Self.change(scratch.folder.identities, database, integerKeys: database == "keys.runs") {
            try Self.flipped($0, $1, entry: 0, byte: -1)
        }
        try await Self.requireDerivedFault(scratch)
    }

    @Test(arguments: ["rows", "followers"])
    func `finds changed transitions`(database: String) async throws {
        let scratch = try await Self.ledger()
        try Self.change(scratch.folder.transitions, database, integerKeys: database == "rows") {
            try Self.flipped($0, $1, entry: 3, byte: -1)
        }
        try await Self.requireDerivedFault(scratch)
    }

    @Test func `finds transitions that were taken away`() async throws {
        let scratch = try await Self.ledger()
        try Self.change(scratch.folder.transitions, "rows") { transaction, database in
            var cursor = try transaction.cursor(in: database)
            guard let last = try cursor.last() else { return [] }
            return [(last.key.withUnsafeBytes { Array($0) }, nil)]
        }
        try await Self.requireDerivedFault(scratch)
    }

    private static func requireDerivedFault(_ scratch: ScratchLedger) async throws {
        let report = try await audit(scratch)
        guard case .derived = report.firstBad else {
            Issue.record("\(report)")
            return
        }
        #expect(report.events == count, "the log is sound")
    }

    @Test func `finds an item in quarantine with other contents`() async throws {
        let scratch = try await Self.ledger()
        let name = try #require(try Quarantine.digests(in: scratch.folder.quarantine).first)
        let path = URL(filePath: "\(scratch.folder.quarantine)/\(name)")
        var bytes = try Data(contentsOf: path)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: path)
        #expect(
            try await Self.audit(scratch).firstBad
                == .structure(what: "the quarantined item \(name) has other contents"))
    }
}
