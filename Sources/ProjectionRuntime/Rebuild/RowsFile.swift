import Crypto
import LedgerModel
import LedgerStorage
import Primitives

/// The file of rows of a projection that is being built.
struct RowsFile {
    private static let keysPerReport = 65_536

    private let writer: RecordFileWriter
    private let meter: RebuildMeter
    private var keys = 0
    /// The hash of the records as they were sorted.
    private var hash = SHA256()

    init(_ path: String, _ meter: RebuildMeter) throws(StorageError) {
        writer = try RecordFileWriter(path)
        self.meter = meter
    }

    mutating func append(_ record: StoredRecord) throws(StorageError) {
        try writer.append(record.stored)
        record.stored.withUnsafeBytes { hash.update(bufferPointer: $0) }
        keys += 1
        if keys.isMultiple(of: Self.keysPerReport) {
            meter.add(UInt64(Self.keysPerReport))
            meter.report()
        }
    }

    /// Syncs the file and, meanwhile, reads it back.
    /// - Throws: `disk_full`, `io_error`; `log_corrupt` when the file is not the rows in the order of their keys.
    func finish() throws -> ProjectionManifest.Content {
        try writer.flush()
        let path = writer.path
        let content = try Workers(count: 2, meter: meter).map { task in
            if task == 0 { try RecordFileWriter.sync(path) }
            return task == 1 ? try ProjectionManifest.Content(ofRowsAt: path) : nil
        }
        guard let content = content[1], content.keys == keys, content.sha256 == Digest(hash.finalize()) else {
            throw StorageError(.logCorrupt, "\(path) differs from the rows that were written")
        }
        return content
    }
}

extension ProjectionManifest.Content {
    /// Reads a file of rows.
    /// - Throws: `io_error`; `log_corrupt` when the keys do not ascend or a row is not complete.
    init(ofRowsAt path: String) throws(StorageError) {
        self.init()
        let reader = try RecordFileReader(path)
        var hash = SHA256()
        var last: StoredRecord?
        while let record = try reader.readNext() {
            guard last?.precedes(record) ?? true, let entry = StoredEntry(record.body) else {
                throw StorageError(
                    .logCorrupt, "the rows in \(path) are damaged", hint: "Run `subledger project rebuild`.")
            }
            record.stored.withUnsafeBytes { hash.update(bufferPointer: $0) }
            keys += 1
            rows += entry.rowCount
            bytes += record.stored.count
            last = record
        }
        sha256 = Digest(hash.finalize())
    }
}
