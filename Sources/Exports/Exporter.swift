import AppStoreModel
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import StateTables
package import SubscriptionLedger
import TableFiles

/// Exports tables of a ledger to files. The coordinates of an export decide its bytes: they do not depend on when it
/// runs, on the threads, or on events that come later.
package struct Exporter {
    let reader: LedgerReader
    let request: ExportRequest
    package let plan: ExportPlan
    let context: AnalysisContext
    let tables: [ExportTable]

    /// Resolves the coordinates of an export.
    /// - Throws: `KnownAtAhead`; `ZoneUnknown`; `DefinitionUnknown` for no currency; `ExportGap` for a base of another
    ///   ledger or of other options; `StorageError`.
    package init(_ reader: LedgerReader, _ request: ExportRequest) throws {
        self.reader = reader
        self.request = request
        let size = try reader.knownSize(request.size.map { .size($0) })
        let asOf = try request.asOf ?? reader.recordedAt(lastOf: size)
        context = try reader.analysisContext(AsOfQuery(asOf: asOf, knownAt: .size(size)))
        if let currency = request.reportingCurrency, !Symbol(currency).isCurrencyCode {
            throw DefinitionUnknown("currency", expected: ["a code of ISO 4217 in capital letters"], found: currency)
        }
        let zone = try TimeZoneDatabase.table(named: context.rules.retention.zone)
        let names = Set(request.tables.map(\.name))
        tables = ExportTable.all.filter { names.contains($0.name) }.sorted { $0.name < $1.name }
        plan = ExportPlan(
            origin: reader.origin, range: min(request.base?.size ?? 0, size)..<size, asOf: asOf,
            base: request.base?.coordinates, rulesDigest: context.rules.digest, zone: zone.name,
            zoneDigest: zone.digest, decoder: Int64(FactCodec.version),
            erasures: try reader.erasureCount(below: size),
            environments: request.environments.sorted(), bundleIds: request.bundleIds.sorted(),
            reportingCurrency: request.reportingCurrency,
            format: request.format.fileExtension,
            writer: ExportPlan.Writer(version: TableFileFormat.writerVersion, compression: request.format.compression),
            tables: tables.map(\.name), partitions: request.partitions)
        if let base = request.base { try require(base) }
    }

    /// Requires that the ledger still begins with the events of a base, and that the options are the same.
    private func require(_ base: ExportBase) throws {
        guard !base.isOfFacts else {
            throw ExportGap("the base is an export of facts", expected: "one of tables", found: "facts")
        }
        guard base.origin == plan.origin else {
            throw ExportGap("the base is of another ledger", expected: plan.origin, found: base.origin)
        }
        guard base.size <= plan.size, base.asOf <= plan.asOf else {
            throw ExportGap(
                "the base is newer than the export", expected: "at most \(plan.size) events, as of \(plan.asOf)",
                found: "\(base.size) events, as of \(base.asOf)")
        }
        guard try reader.root(ofFirst: base.size) == base.treeRoot else {
            throw ExportGap(
                "the ledger does not begin with the events of the base", expected: "the root \(base.treeRoot)",
                found: "another root")
        }
        let options = ExportBase.options(plan.members)
        if let name = ExportBase.sharedMembers.first(where: { options[$0] != base.options[$0] }) {
            throw ExportGap(
                "the base has other options", expected: "\(name) \(options[name] ?? "none")",
                found: base.options[name] ?? "none")
        }
    }

    /// Writes the files, and the manifest last. An interrupted export, or one whose files are damaged, is completed by
    /// the same call; of a complete one nothing is written again.
    ///
    /// - Parameter destination: the place in which the export gets a folder of its own.
    /// - Throws: `ExportGap`; `LoadFailed`; `StorageError`; `ObjectStorageError`; `PostgresError`; the reason to stop the
    ///   work.
    /// - Complexity: O(n log n) for n facts, with bounded memory.
    package func export(to destination: some ExportDestination) async throws -> CompletedExport {
        let folder = plan.folderName
        try await destination.createOnce("\(folder)/\(ExportPlan.fileName)", plan.bytes)
        if let completed = try await CompletedExport(in: destination, folder: folder),
            try await completed.isIntact(in: destination, folder: folder)
        {
            return completed
        }
        if let checkpoint = try reader.signedCheckpoint(ofFirst: plan.size) {
            _ = try await destination.create("\(folder)/checkpoint", checkpoint)
        }
        let manifest = try await destination.store(folder) { folder in
            let tables =
                try request.partitions.map { try exportFacts(in: $0, to: folder) } ?? exportTables(to: folder)
            return ExportManifest(
                plan: plan, treeRoot: try reader.root(ofFirst: plan.size), tables: tables.sorted { $0.name < $1.name })
        }
        return CompletedExport(
            manifest: "\(folder)/\(ExportManifest.fileName)", in: destination, digest: .sha256(of: manifest.bytes),
            tables: manifest.tables, existed: false)
    }

    private func exportTables(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        try exportEvents(to: folder) + exportOwnEvents(to: folder) + exportTransitions(to: folder)
            + exportObservations(to: folder) + exportCustomers(to: folder) + exportStates(to: folder)
    }

    /// Returns the base of a table; nil where its rows are all written again: without a base, and for columns or facts of
    /// another version.
    func base(of table: ExportTable) -> (base: ExportBase, content: ExportManifest.Content)? {
        guard let base = request.base, base.decoder == plan.decoder, base.erasures == plan.erasures,
            let known = base.tables[table.name], known.schemaVersion == Int64(table.schema.version)
        else { return nil }
        return (base, known.after)
    }
}

// MARK: Tables of the log

extension Exporter {
    /// The events between two reports of the progress.
    private static let reportStep: UInt64 = 4_096

    private func exportEvents(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        try tables.compactMap { table in
            guard case .events(let fill) = table.source else { return nil }
            let (output, range) = try logOutput(of: table, in: folder)
            try reader.forEachEvent(in: range) { event in
                try output.insert { fill(event, &$0) }
                reportReading(event.row.position - range.lowerBound, of: UInt64(range.count))
            }
            return try output.finish()
        }
    }

    private func reportReading(_ done: UInt64, of total: UInt64) {
        guard done % Self.reportStep == 0 else { return }
        request.report?(RebuildProgress(.reading, done: done, total: total))
    }

    private func exportOwnEvents(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        var known: [Range<Position>: ExportedOwnEvents] = [:]
        return try tables.compactMap { table in
            guard case .ownEvents(let fill) = table.source else { return nil }
            let (output, range) = try logOutput(of: table, in: folder)
            let events = try known[range] ?? reader.ownEvents(in: range).limited(to: plan)
            known[range] = events
            let rows = OwnRows(table.schema)
            fill(events, rows)
            for row in rows.sorted {
                var stored: [UInt8] = []
                row.encode(into: &stored)
                try output.add(stored[...], .insert, isRestated: false)
            }
            output.lossy = rows.lossy
            return try output.finish()
        }
    }

    /// Exports the rows of the feed that the base does not have. The feed goes to the instant, or to the last event if that
    /// is later.
    private func exportTransitions(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        try tables.compactMap { table in
            guard case .transitions(let fill) = table.source else { return nil }
            let (output, range) = try logOutput(of: table, in: folder)
            let end = try feedEnd(of: plan.asOf, plan.size)
            let base = try base(of: table).map { try feedEnd(of: $0.base.asOf, $0.base.size) }
            try reader.forEachTransition(through: end, below: plan.size) { transition in
                guard includes(transition.key), base.map({ !range.lowerBound.hasRow(transition, through: $0) }) ?? true
                else { return }
                try output.insert { fill(transition, &$0) }
            }
            return try output.finish()
        }
    }

    private func feedEnd(of asOf: Instant, _ size: Position) throws -> Instant {
        max(asOf, try reader.recordedAt(lastOf: size))
    }

    /// Returns the files of a table of the log, and the positions of the events that its rows come from.
    func logOutput(
        of table: ExportTable, in folder: ExportFolder
    ) throws -> (TableOutput, Range<Position>) {
        let base = base(of: table)
        let output = try TableOutput(
            table, in: folder, request.format, mode: base == nil ? .full : .delta, adding: base?.content)
        return (output, (base?.base.size ?? 0)..<plan.size)
    }
}

// MARK: Tables of states

extension Exporter {
    private func exportStates(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        let states = tables.filter { $0.state != nil }
        guard !states.isEmpty else { return [] }
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        let isContinued = states.contains { base(of: $0) != nil }
        guard let base = request.base, isContinued else {
            let sorted = try rows(of: states, context, [.current: plan.asOf], in: scratch.path + "/current")
            return try write(sorted, of: states, to: folder)
        }
        let sorted =
            try rows(
                of: states, context, [.current: plan.asOf, .restated: base.asOf], in: scratch.path + "/current")
            + rows(of: states, try context(of: base), [.base: base.asOf], in: scratch.path + "/base")
        return try write(sorted, of: states, to: folder)
    }

    /// Returns the knowledge that a base rests on.
    private func context(of base: ExportBase) throws -> AnalysisContext {
        var question = AsOfQuery(asOf: base.asOf, knownAt: .size(base.size))
        question.rules = try reader.rules(withDigest: base.rulesDigest, knownAt: plan.size)
        guard question.rules != nil else {
            throw ExportGap(
                "the rules of the base were never active", expected: "the digest of rules in the log",
                found: base.rulesDigest.hex)
        }
        return try reader.analysisContext(question)
    }

    private func rows(
        of tables: [ExportTable], _ context: AnalysisContext, _ readings: [StateRows.Reading: Instant],
        in folder: String
    ) throws -> [SortedStateRows] {
        try Folder(folder).create()
        var options = RebuildOptions()
        options.report = request.report
        let questions = try readings.mapValues { asOf in
            try ExportQuestion(context, asOf: asOf, in: plan.reportingCurrency, zone: TimeZoneDatabase.table(named:))
        }
        let fold = SortedStateFold(tables.compactMap(\.state), questions)
        let parts = try reader.fold(knownAt: context.size, readsCustomers: true, in: folder, options) { sorter in
            fold.part(sorter)
        } add: { part, unit in
            // The keys of a unit are of one app and environment.
            guard let key = unit.timelines.keys.first, includes(key) else { return }
            try part.add(unit)
        } finish: { part in
            part.finish()
        }
        return try parts.map(\.rows) + [fold.rows(of: parts.map(\.sums), in: folder)]
    }

    /// Whether the export is about the app and environment of a subscription.
    func includes(_ key: SubscriptionKey) -> Bool {
        request.environments.contains(key.environment.rawValue)
            && (request.bundleIds.isEmpty || request.bundleIds.contains(key.bundleId))
    }

    /// Writes sorted rows: all of a table without a base, the differences of any other.
    func write(
        _ sorted: [SortedStateRows], of tables: [ExportTable], to folder: ExportFolder
    ) throws -> [ExportManifest.Table] {
        let outputs = try tables.map { table in
            try TableOutput(table, in: folder, request.format, mode: base(of: table) == nil ? .full : .delta)
        }
        let isContinued = tables.map { base(of: $0) != nil }
        for (index, output) in outputs.enumerated() { output.lossy = sorted.reduce(0) { $0 + Int64($1.lossy[index]) } }
        try sorted.forEachGroup { group in
            try outputs[group.table].add(group, isContinued: isContinued[group.table])
        }
        for (table, output) in zip(tables, outputs) { try require(output, continues: table) }
        return try outputs.map { try $0.finish() }
    }

    /// Requires that the rows of the base, which are computed again, are those that its manifest counts.
    private func require(_ output: TableOutput, continues table: ExportTable) throws {
        guard let base = base(of: table), output.base != base.content else { return }
        throw ExportGap(
            "the rows of the base cannot be computed again",
            expected: "\(base.content.rows) rows of \(table.name) with the digest sum of the base",
            found: "\(output.base.rows) rows, or others")
    }
}

extension ExportedOwnEvents {
    /// Returns the events about the apps and environments of an export. Rules and rates are about all.
    fileprivate func limited(to plan: ExportPlan) -> ExportedOwnEvents {
        func includes(_ bundleId: String?) -> Bool {
            plan.bundleIds.isEmpty || (bundleId.map { plan.bundleIds.contains($0) } ?? false)
        }
        return ExportedOwnEvents(
            activations: activations, catalogs: catalogs.filter { includes($0.catalog.bundleId.text) }, rates: rates,
            closes: closes.filter { closed in
                let terms = closed.close.terms
                return plan.environments.contains(terms.environment) && includes(terms.bundleId)
            })
    }
}

extension TableFileFormat {
    /// The name of the compression; nil for none.
    fileprivate var compression: String? {
        guard case .parquet(let compression) = self else { return nil }
        return compression == .snappy ? "snappy" : nil
    }
}

extension TableOutput {
    /// Adds the difference between the readings of a row.
    fileprivate func add(_ group: StateGroup, isContinued: Bool) throws {
        guard isContinued else {
            if let current = group.current { try add(current, .insert, isRestated: false) }
            return
        }
        let isRestated = group.restated != group.base
        if let base = group.base { countBase(base) }
        guard let current = group.current else {
            if let base = group.base { try delete(base, isRestated: isRestated) }
            return
        }
        let change: RowChange? = group.base == nil ? .insert : group.base == current ? nil : .update
        try add(current, change, isRestated: isRestated)
    }
}
