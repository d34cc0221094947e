import FactSegments
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import StateTables
import SubscriptionLedger

/// The export of facts, from which workers without a ledger fold the tables of states. Each segment has whole subjects.
extension Exporter {
    fileprivate static let factsName = "facts"
    /// The version of segments and inputs.
    private static let factsVersion: Int64 = 1

    /// Writes the segments, and beside them the inputs, which the manifest lists like a table.
    func exportFacts(in partitions: Int, to folder: ExportFolder) throws -> [ExportManifest.Table] {
        let inputs = try foldInputs().bytes
        let file = try ExportFile("\(folder.path)/\(FoldInputs.fileName)")
        try file.write(inputs)
        let written = ExportManifest.File(
            path: FoldInputs.fileName, kind: .part, rows: 1, bytes: file.byteCount, sha256: try file.finish())
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        let sorted = try sortedFacts(in: partitions, scratch.path)
        var output = SegmentOutput(
            in: try folder.table(Self.factsName).path, partitions, inputs: Digest.sha256(of: inputs))
        try SortedRuns.merge(sorted) { try output.append($0) }
        let segments = try output.finish()
        return [
            table(Self.factsName, output.content, segments),
            table("inputs", ExportManifest.Content(rows: 1, digestSum: 0), [written]),
        ]
    }

    private func table(
        _ name: String, _ content: ExportManifest.Content, _ files: [ExportManifest.File]
    ) -> ExportManifest.Table {
        ExportManifest.Table(
            name: name, schemaVersion: Self.factsVersion, mode: .full, key: [], upserts: content.rows, deletes: 0,
            restated: 0, lossy: 0, after: content, files: files)
    }

    private func foldInputs() throws -> FoldInputs {
        let names = Set(
            Rules.Retention.Definition.allCases.map { definition in
                var rules = context.rules.retention
                rules.definition = definition
                return rules.zoneInForce
            }
        ).subtracting([TimeZoneTable.utc.name])
        let zones = try names.sorted().map {
            FoldInputs.Zone(name: $0, tzif: try TimeZoneDatabase.compiledTable(named: $0))
        }
        return FoldInputs(
            context, asOf: plan.asOf, in: plan.reportingCurrency, zones: zones, as: request.format,
            tables.compactMap(\.state))
    }

    /// Returns the facts of all units, ordered by partition, subject and unit.
    private func sortedFacts(in partitions: Int, _ scratch: String) throws -> [SortedRuns] {
        let links = try forEachUnit(in: scratch + "/links") { try SubjectIndex.append($1, to: &$0) }
        let subjects = try SubjectIndex(links)
        return try forEachUnit(in: scratch + "/facts") { sorter, unit in
            try sorter.append(UnitSegment(unit, subjects), partitions)
        }
    }

    /// Calls `body` on several threads, each with a sorter of its own.
    private func forEachUnit(
        in folder: String, _ body: @escaping @Sendable (inout RecordSorter, UnitFacts) throws -> Void
    ) throws -> [SortedRuns] {
        try Folder(folder).create()
        var options = RebuildOptions()
        options.report = request.report
        return try reader.fold(knownAt: plan.size, readsCustomers: true, in: folder, options) {
            $0
        } add: { sorter, unit in
            // The keys of a unit are of one app and environment.
            if let key = unit.timelines.keys.first, includes(key) { try body(&sorter, unit) }
        } finish: {
            $0.finish()
        }
    }
}

/// The facts of a unit as frames, with the names of the unit and its subject.
private struct UnitSegment {
    let subject: UInt128
    let unit: UInt128
    let frames: [UInt8]

    init(_ facts: UnitFacts, _ subjects: SubjectIndex) {
        let keys = facts.timelines.keys.sorted()
        let (subject, unit) = (
            keys.first.map { UnitID.name("subject", subjects.subject(of: $0)) } ?? 0,
            keys.first.map { UnitID.name("account", $0) } ?? 0
        )
        var writer = FrameWriter()
        for key in keys {
            for observation in facts.timelines[key]?.observations ?? [] {
                SegmentFact(subject: subject, unit: unit, .observation(key, observation)).append(to: &writer)
            }
        }
        for event in facts.customers.events {
            SegmentFact(subject: subject, unit: unit, .customerEvent(event.fact, recordedAt: event.recordedAt))
                .append(to: &writer)
        }
        (self.subject, self.unit, frames) = (subject, unit, writer.take())
    }
}

extension RecordSorter {
    fileprivate mutating func append(_ unit: UnitSegment, _ partitions: Int) throws {
        let partition = UInt32(unit.subject % UInt128(partitions))
        try append {
            $0.append(contentsOf: partition.bigEndianBytes + unit.subject.bigEndianBytes + unit.unit.bigEndianBytes)
        } body: {
            $0.append(contentsOf: unit.frames)
        }
    }
}

/// The segments of an export of facts, one after the other.
private struct SegmentOutput {
    /// The greatest number of bytes that wait to be written.
    private static let bufferSize = 1 << 18

    private let folder: String
    private let partitions: Int
    private let inputs: Digest
    private var open: (file: ExportFile, frames: FrameWriter, header: FrameTally)?
    private var files: [ExportManifest.File] = []
    /// The facts, and the sum of their digests, which does not depend on the number of partitions.
    private(set) var content = ExportManifest.Content(rows: 0, digestSum: 0)

    init(in folder: String, _ partitions: Int, inputs: Digest) {
        (self.folder, self.partitions, self.inputs) = (folder, partitions, inputs)
    }

    /// Appends a unit to the segment of its partition. Partitions ascend.
    mutating func append(_ record: StoredRecord) throws {
        let partition = Int(Array(record.key.prefix(4)).span.bytes.bigEndian(at: 0, as: UInt32.self))
        if open == nil { try openFile() }
        while files.count < partition {
            try closeFile()
            try openFile()
        }
        open?.frames.append(frames: record.body)
        if let open, open.frames.bytes.count >= Self.bufferSize { try drain() }
    }

    /// Completes all segments, also those without a subject.
    mutating func finish() throws -> [ExportManifest.File] {
        while files.count < partitions {
            if open == nil { try openFile() }
            try closeFile()
        }
        return files
    }

    private var path: String { "part-\(String(files.count, digits: 5)).segment" }

    private mutating func openFile() throws {
        var frames = FrameWriter()
        SegmentHeader(partition: files.count, of: partitions, inputs: inputs).append(to: &frames)
        open = (try ExportFile("\(folder)/\(path)"), frames, frames.tally)
    }

    private mutating func drain() throws {
        guard let bytes = open?.frames.take() else { return }
        try open?.file.write(bytes)
    }

    private mutating func closeFile() throws {
        guard let (_, frames, header) = open else { return }
        let rows = frames.tally.count - header.count
        content.rows += rows
        content.digestSum += frames.tally.digestSum - header.digestSum
        open?.frames.finish()
        try drain()
        guard let file = open?.file else { return }
        let digest = try file.finish()
        files.append(
            ExportManifest.File(
                path: "\(Exporter.factsName)/\(path)", kind: .part, rows: rows, bytes: file.byteCount, sha256: digest))
        open = nil
    }
}
