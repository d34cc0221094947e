import LedgerStorage
import Primitives
package import TableFiles

/// The files of one table: rows to insert or update, and the keys of rows to delete.
package final class TableOutput {
    private let schema: TableSchema
    private let mode: ExportManifest.Mode
    private var parts: RowFiles
    private var deletions: RowFiles
    private var row: TableRow
    private var deleted: TableRow
    private var restated: Int64 = 0
    package private(set) var after: ExportManifest.Content
    /// The rows of the base, as far as `countBase` was called with them.
    private(set) var base = ExportManifest.Content(rows: 0, digestSum: 0)
    var lossy: Int64 = 0

    /// - Parameter before: the content of the base, to which rows are added; nil where all rows are counted.
    package init(
        _ table: ExportTable, in folder: ExportFolder, _ format: TableFileFormat, mode: ExportManifest.Mode,
        adding before: ExportManifest.Content? = nil
    ) throws {
        schema = table.schema
        self.mode = mode
        let path = try folder.table(schema.name).path
        let full = schema.ofFiles
        let keys = schema.with(Self.deletedColumns(of: schema))
        parts = RowFiles(.part, in: path, full, format)
        deletions = RowFiles(.deleted, in: path, keys, format)
        (row, deleted) = (TableRow(full), TableRow(keys))
        after = before ?? ExportManifest.Content(rows: 0, digestSum: 0)
    }

    /// Returns the columns of the files of deleted rows.
    static func deletedColumns(of schema: TableSchema) -> [TableColumn] {
        schema.columns.prefix(schema.keyCount) + [TableColumn("restated", .boolean)]
    }

    /// Adds a row.
    /// - Parameter fill: appends the cells of the table.
    func insert(_ fill: (inout TableRow) throws -> Void) throws {
        row.removeAll()
        try fill(&row)
        lossy += Int64(row.lossy)
        try finishRow(.insert, isRestated: false)
    }

    /// Counts a row that the load leaves as it is, or adds it as a change.
    /// - Parameters:
    ///   - stored: the row in stored form.
    ///   - change: nil for a row that the base has already.
    package func add(_ stored: ArraySlice<UInt8>, _ change: RowChange?, isRestated: Bool) throws {
        row.removeAll()
        stored.withUnsafeBytes { row.decode($0) }
        guard let change else { return after.add(row.rowDigest) }
        try finishRow(change, isRestated: isRestated)
    }

    /// Counts a row of the base.
    func countBase(_ stored: ArraySlice<UInt8>) {
        row.removeAll()
        stored.withUnsafeBytes { row.decode($0) }
        base.add(row.rowDigest)
    }

    private func finishRow(_ change: RowChange, isRestated: Bool) throws {
        after.add(row.appendTail(change, isRestated: isRestated))
        if isRestated { restated += 1 }
        try parts.append(row)
    }

    /// Adds the deletion of a row.
    func delete(_ stored: ArraySlice<UInt8>, isRestated: Bool) throws {
        row.removeAll()
        stored.withUnsafeBytes { row.decode($0) }
        deleted.removeAll()
        deleted.append(keyOf: row)
        deleted.append(boolean: isRestated)
        if isRestated { restated += 1 }
        try deletions.append(deleted)
    }

    /// Completes the files.
    package func finish() throws -> ExportManifest.Table {
        let files = try parts.finish(isNeeded: true) + deletions.finish(isNeeded: false)
        return ExportManifest.Table(
            name: schema.name, schemaVersion: Int64(schema.version), mode: mode,
            key: schema.columns.prefix(schema.keyCount).map(\.name), upserts: parts.rowCount,
            deletes: deletions.rowCount, restated: restated, lossy: lossy, after: after, files: files)
    }
}

extension TableSchema {
    /// Returns the same table with other columns than those of the key.
    fileprivate func with(_ columns: [TableColumn]) -> TableSchema {
        TableSchema(name: name, version: version, keyCount: keyCount, columns: columns)
    }
}

extension ExportManifest.Content {
    /// Adds a row by its digest.
    fileprivate mutating func add(_ digest: Int64) {
        rows += 1
        digestSum += Int128(digest)
    }
}

/// The numbered files of one kind. The first is there even without rows, so that a loader knows the columns.
private struct RowFiles {
    private let kind: ExportManifest.File.Kind
    private let folder: String
    private let schema: TableSchema
    private let format: TableFileFormat
    private var open: (file: ExportFile, writer: any TableFileWriter, rows: Int64)?
    private var files: [ExportManifest.File] = []
    private(set) var rowCount: Int64 = 0

    /// The greatest number of bytes that wait to be written.
    private static let bufferSize = 1 << 18
    /// The rows of a file of the formats that have no limit of their own.
    private static let rowLimit: Int64 = 1 << 20

    init(_ kind: ExportManifest.File.Kind, in folder: String, _ schema: TableSchema, _ format: TableFileFormat) {
        (self.kind, self.folder, self.schema, self.format) = (kind, folder, schema, format)
    }

    private var nextName: String {
        "\(kind.rawValue)-\(String(files.count, digits: 5)).\(format.fileExtension)"
    }

    mutating func append(_ row: TableRow) throws {
        if let open, open.writer.isFull || open.rows == Self.rowLimit { try close() }
        try openFile()
        open?.writer.append(row)
        open?.rows += 1
        rowCount += 1
        if let open, open.writer.output.count >= Self.bufferSize { try drain() }
    }

    private mutating func openFile() throws {
        guard open == nil else { return }
        open = (try ExportFile("\(folder)/\(nextName)"), format.writer(for: schema), 0)
    }

    private mutating func drain() throws {
        guard var bytes = open?.writer.output else { return }
        open?.writer.output = []
        try open?.file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
        open?.writer.output = bytes
    }

    private mutating func close() throws {
        open?.writer.finish()
        try drain()
        guard let (file, _, rows) = open else { return }
        let path = "\(schema.name)/\(nextName)"
        let digest = try file.finish()
        files.append(
            ExportManifest.File(path: path, kind: kind, rows: rows, bytes: file.byteCount, sha256: digest))
        open = nil
    }

    /// - Parameter isNeeded: whether there is a file even without rows.
    mutating func finish(isNeeded: Bool) throws -> [ExportManifest.File] {
        if files.isEmpty, isNeeded { try openFile() }
        try close()
        return files
    }
}
