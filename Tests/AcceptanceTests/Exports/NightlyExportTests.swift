import Exports
import Glibc
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

/// Increments of thirty nights, loaded by a warehouse that is written in Python over PyArrow.
@Suite struct `Nightly exports` {
    private static let formats: [TableFileFormat] = [.parquet(.snappy), .csv, .jsonLines]

    /// Returns the content of the tables after some loads, or the answer to an option.
    private static func warehouse(_ manifests: [String], option: String? = nil) throws -> [String] {
        try Python.lines(
            Python.path(of: "warehouse.py", beside: #filePath), (option.map { [$0] } ?? []) + manifests)
    }

    @Test(arguments: formats) func `add up to one export of everything`(_ format: TableFileFormat) async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var (next, exports) = (0, [CompletedExport]())
        for night in 0..<NightlyLedger.nights {
            try await ledger.play(to: night, from: &next)
            exports.append(
                try await ledger.export(
                    format, asOf: ledger.instant(of: night), since: exports.last?.manifestPath, to: "nightly"))
        }
        let last = ledger.instant(of: NightlyLedger.nights - 1)
        let full = try await ledger.export(format, asOf: last, to: "full")
        let manifests = exports.map(\.manifestPath)
        try await blocking {
            let loaded = try Self.warehouse(manifests)
            #expect(try loaded == Self.warehouse([full.manifestPath]))
            // Loads again what it has: nothing changes.
            #expect(try loaded == Self.warehouse(manifests.flatMap { [$0, $0] }))
            _ = try Self.warehouse(manifests.dropLast(2) + manifests.suffix(1), option: "--refuse")
            _ = try Self.warehouse([manifests[1]], option: "--refuse")
            _ = try Self.warehouse([manifests[0], manifests[1], manifests[2], manifests[1], manifests[3], manifests[2]])
        }
        let changes = exports.flatMap(\.tables)
        #expect(changes.contains { $0.deletes > 0 } && changes.contains { $0.restated > 0 })
        // Time alone changes rows.
        let quiet = exports[NightlyLedger.quietNights.min() ?? 0].tables
        #expect(quiet.allSatisfy { $0.mode == .delta } && quiet.contains { $0.upserts > 0 })
    }

    @Test func `mark the rows whose past changed`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<11 { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: 10)
        let base = try await ledger.export(.csv, asOf: asOf, to: "base")
        // Other rules are activated meanwhile.
        for night in 11..<14 { try await ledger.play(to: night, from: &next) }
        let again = try await ledger.export(.csv, asOf: asOf, to: "again")
        let increment = try await ledger.export(
            .csv, asOf: ledger.instant(of: 13), since: base.manifestPath, to: "increment")
        try await blocking {
            let counts = try Self.warehouse([base, again, increment].map(\.manifestPath), option: "--restated")
            let numbers = try JSONDocument(parsing: Array((counts.first ?? "").utf8)).root.elements ?? []
            #expect(numbers.count == 2 && numbers.allSatisfy { ($0.integer ?? 0) > 10 }, "\(counts)")
        }
    }

    /// Changes of a manifest that make it another base, by the refusal.
    private static var otherBases: [(String, Regex<Substring>, String)] {
        [
            ("the base is of another ledger", /"origin":"[^"]*"/, #""origin":"example.com/log""#),
            (
                "the ledger does not begin with the events of the base", /"treeRoot":"[^"]*"/,
                #""treeRoot":"\#(String(repeating: "0", count: 64))""#
            ),
            ("the base has other options", /"format":"csv"/, #""format":"parquet""#),
            ("the base is newer than the export", /"to":[0-9]+/, #""to":99999"#),
            ("the base cannot be read", /"schema":2/, #""schema":3"#),
            (
                "the rules of the base were never active", /"rulesDigest":"[^"]*"/,
                #""rulesDigest":"\#(String(repeating: "0", count: 64))""#
            ),
            ("the rows of the base cannot be computed again", /"digestSum":"[^"]*"/, #""digestSum":"1""#),
        ]
    }

    @Test func `are refused on another base`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<5 { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: 4)
        let base = try await ledger.export(.csv, asOf: asOf, to: "base")
        let manifest = String(decoding: try File.read(base.manifestPath), as: UTF8.self)
        let path = ledger.folder + "/other.json"
        for (refusal, pattern, replacement) in Self.otherBases {
            try File.write(Array(manifest.replacing(pattern, with: replacement).utf8), to: path)
            let error = await #expect(throws: ExportGap.self, "\(refusal)") {
                try await ledger.export(.csv, asOf: asOf, since: path, to: "next")
            }
            #expect(error?.diagnosis.code == "export_gap" && error?.diagnosis.message == refusal)
        }
        let missing = await #expect(throws: ExportGap.self) {
            try await ledger.export(.csv, asOf: asOf, since: ledger.folder + "/none.json", to: "next")
        }
        #expect(missing?.diagnosis.message == "the base does not exist")
    }

    @Test func `are written again where files are missing or cut off, by one process at a time`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<5 { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: 4)
        let export = try await ledger.export(.csv, asOf: asOf, to: "damaged")
        let files = try NightlyLedger.files(of: export)
        let folder = String(export.manifestPath.dropLast("/manifest.json".count))
        try File.write([], to: folder + "/periods/part-00000.csv")
        #expect(unlink(folder + "/charges/part-00000.csv") == 0)
        // Another process holds the lock of the folder.
        let other = open(folder, O_RDONLY | O_DIRECTORY)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let refusal = await #expect(throws: StorageError.self) {
            try await ledger.export(.csv, asOf: asOf, to: "damaged")
        }
        #expect(refusal?.code == .locked)
        close(other)
        _ = try await ledger.export(.csv, asOf: asOf, to: "damaged")
        #expect(try NightlyLedger.files(of: export) == files)
    }

    @Test func `do not restate what is learned on time`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<9 { try await ledger.play(to: night, from: &next) }
        let base = try await ledger.export(.csv, asOf: ledger.instant(of: 7), to: "base")
        for night in 9..<11 { try await ledger.play(to: night, from: &next) }
        let increment = try await ledger.export(
            .csv, asOf: ledger.instant(of: 10), since: base.manifestPath, to: "increment")
        // Whatever Apple signed by then was delivered in order, except for what a quiet night held back.
        let periods = try #require(increment.tables.first { $0.name == "periods" })
        #expect(periods.upserts > 10 && periods.restated < periods.upserts / 2)
    }

    @Test func `are the same bytes whenever they run`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<10 { try await ledger.play(to: night, from: &next) }
        let (asOf, size) = (ledger.instant(of: 9), try ledger.reader.size())
        let base = try await ledger.export(.csv, asOf: ledger.instant(of: 4), size: size / 2, to: "base")
        let first = try NightlyLedger.files(
            of: await ledger.export(.csv, asOf: asOf, size: size, since: base.manifestPath, to: "first"))
        for night in 10..<20 { try await ledger.play(to: night, from: &next) }
        let again = try NightlyLedger.files(
            of: await ledger.export(.csv, asOf: asOf, size: size, since: base.manifestPath, to: "again"))
        #expect(first == again)
    }
}
