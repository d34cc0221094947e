import Exports
import FactSegments
import FoundationEssentials
import Glibc
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

/// A ledger with other rules and time zones than the default, and customers with several subscriptions.
enum FoldedExportLedger {
    private static let lastNight = 13

    static func make(
        seed: UInt64 = TestEnvironment.seed, customers: Int = 40
    ) async throws -> (NightlyLedger, asOf: Instant) {
        let ledger = try NightlyLedger(seed: seed, customers: customers)
        var next = 0
        for night in 0..<lastNight { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: lastNight - 1)
        let table = try ExportTable(named: "subscriptions")
        let files = try NightlyLedger.files(of: await ledger.export(.csv, asOf: asOf, [table], to: "ids"))
        let lines = String(decoding: files["subscriptions/part-00000.csv"] ?? [], as: UTF8.self).split(
            separator: "\r\n")
        let fields: [[Substring]] = lines.dropFirst().map { $0.split(separator: ",") }
        let ids: [String] = fields.filter { $0[0] == "Production" }.suffix(6).map { String($0[2]) }
        let keys: [SubscriptionSelector] = ids.map { SubscriptionSelector(originalTransactionId: $0) }
        try #require(keys.count == 6)
        for (key, id) in zip(keys, ["eve", "finn", "eve", "gil", "hal", "hal"]) {
            // A token that Apple signed outranks a link, and not a transfer.
            try await ledger.change(.transfer(key), id)
        }
        try await ledger.change(.merge(.id("finn")), "eve")
        try await ledger.change(.transfer(keys[3]), "hal")
        return (ledger, asOf)
    }
}

extension CompletedExport {
    /// The path of the export's folder.
    var folder: String { String(manifestPath.dropLast("/manifest.json".count)) }

    /// The paths of the segments in the folder.
    var segments: [String] { tables.first { $0.name == "facts" }?.files.map(\.path) ?? [] }
}

/// Facts of a ledger, folded by subledger-fold without the ledger.
@Suite struct `Folded exports` {
    @Test(
        arguments: TestEnvironment.isLong
            ? Array(TestEnvironment.seed..<TestEnvironment.seed + 10) : [TestEnvironment.seed])
    func `have the bytes of exported tables, in any number of segments`(seed: UInt64) async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make(seed: seed)
        for format in [TableFileFormat.csv, .jsonLines] {
            let tables = try await ledger.export(format, asOf: asOf, ExportTable.states, to: "tables")
            let files = try NightlyLedger.files(of: tables)
            var contents: Set<ExportManifest.Content> = []
            for partitions in format == .csv ? [1, 3, 7] : [2] {
                let facts = try await ledger.exportFacts(partitions, format, asOf: asOf, to: "facts")
                contents.insert(facts.tables[0].after)
                #expect(facts.segments.count == partitions)
                let (folder, segments) = (ledger.folder, facts.segments)
                let folded = try await blocking { try FoldedTables(facts.folder, segments, in: folder) }
                for table in tables.tables {
                    let path = "\(table.name)/part-00000.\(format.fileExtension)"
                    #expect(folded.files[table.name] == files[path], "\(path) of \(partitions) segments, seed \(seed)")
                    #expect(folded.rowCounts[table.name] == table.after.rows)
                }
            }
            // Most tables have rows.
            #expect(tables.tables.count { $0.after.rows > 0 } > 9)
            // The facts do not depend on the number of segments.
            #expect(contents.count == 1)
        }
    }

    @Test func `have whole subjects in a segment, and the same bytes again`() async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make()
        let facts = try await ledger.exportFacts(5, .csv, asOf: asOf, to: "facts")
        var subjects: [UInt128: Set<String>] = [:]
        var units: [UInt128: UInt128] = [:]
        var customers: [CustomerHandle: Set<UInt128>] = [:]
        for path in facts.segments {
            var reader = FrameReader()
            reader.append(try File.read("\(facts.folder)/\(path)"))
            while let frame = try reader.read() {
                guard frame.kind != .header else { continue }
                let fact = try SegmentFact(frame)
                subjects[fact.subject, default: []].insert(path)
                #expect(units[fact.unit, default: fact.subject] == fact.subject)
                units[fact.unit] = fact.subject
                guard case .customerEvent(.transfer(let transfer), _) = fact.content else { continue }
                customers[transfer.customer, default: []].insert(fact.subject)
            }
        }
        #expect(subjects.values.allSatisfy { $0.count == 1 } && subjects.count > 20)
        #expect(customers.count > 2 && customers.values.allSatisfy { $0.count == 1 })
        #expect(units.count > subjects.count)

        let files = try NightlyLedger.files(of: facts)
        try File.write([], to: facts.folder + "/facts/part-00002.segment")
        #expect(unlink(facts.folder + "/inputs.json") == 0)
        let again = try await ledger.exportFacts(5, .csv, asOf: asOf, to: "facts")
        #expect(try NightlyLedger.files(of: again) == files && again.digest == facts.digest)
    }

    @Test func `are refused where a segment is damaged or cut off, or belongs to other inputs`() async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make()
        let facts = try await ledger.exportFacts(1, .csv, asOf: asOf, to: "facts")
        let other = try await ledger.exportFacts(
            1, .csv, asOf: asOf.advanced(byMilliseconds: -1), to: "other")
        let (folder, inputs) = (facts.folder, facts.folder + "/inputs.json")
        let segment = try File.read(folder + "/facts/part-00000.segment")
        var random = SeededRandom()
        var damaged: [(String, [UInt8])] = (0..<12).map { _ in
            var bytes = segment
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return ("segment_", bytes)
        }
        damaged += (0..<6).map { _ in
            ("segment_truncated", Array(segment.prefix(Int.random(in: 0..<segment.count, using: &random))))
        }
        damaged.append(("inputs_invalid", try File.read(other.folder + "/facts/part-00000.segment")))
        let (path, cases) = (ledger.folder, damaged)
        try await blocking {
            for (code, bytes) in cases {
                try File.write(bytes, to: path + "/damaged")
                let fold = try SubledgerFold(path + "/damaged", inputs: inputs, in: path)
                #expect(fold.ending == .exited(1), "seed \(SeededRandom.seed): \(fold.errors)")
                #expect(fold.errors.hasPrefix("error[\(code)"), "\(fold.errors)")
            }
            let missing = try SubledgerFold(path + "/damaged", inputs: path + "/none.json", in: path)
            #expect(missing.ending == .exited(3) && missing.errors.hasPrefix("error[io_error]"))
            let usage = try ChildProcess("subledger-fold", [])
            #expect(usage.end() == .exited(2) && usage.standardError.hasPrefix("error[usage]"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "chroot needs root"))
    func `need nothing but the program, the inputs and the segment`() async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make()
        let facts = try await ledger.exportFacts(1, .csv, asOf: asOf, to: "facts")
        let (path, export) = (ledger.folder, facts.folder)
        try await blocking {
            let root = path + "/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                atPath: ChildProcess.folder() + "/subledger-fold", toPath: root + "/subledger-fold")
            try FileManager.default.copyItem(atPath: export + "/inputs.json", toPath: root + "/inputs.json")
            let segment = export + "/facts/part-00000.segment"
            let inside = try SubledgerFold(segment, inputs: "", in: path, root: root)
            let outside = try SubledgerFold(segment, inputs: export + "/inputs.json", in: path)
            #expect(inside.ending == .exited(0), "\(inside.errors)")
            #expect(inside.frames.map(\.digest).sorted() == outside.frames.map(\.digest).sorted())
            #expect(inside.frames.count > 100)
        }
    }

    @Test func `are no base of tables`() async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make()
        let facts = try await ledger.exportFacts(1, .csv, asOf: asOf, to: "facts")
        let error = await #expect(throws: ExportGap.self) {
            try await ledger.export(.csv, asOf: asOf, since: facts.manifestPath, to: "next")
        }
        #expect(error?.diagnosis.message == "the base is an export of facts")
    }
}
