import LMDB
import LMDBFileFormat
package import LedgerStorage

/// Walks the pages of the log's data file without liblmdb, which trusts its input and may crash on damage.
package enum FileAudit {
    /// - Parameter signedSize: the size of the last signed checkpoint; a smaller log has lost signed events.
    /// - Returns: the first finding; nil when the file is sound.
    /// - Throws: `io_error` when the file cannot be read.
    package static func firstFinding(in folder: DataFolder, signedSize: UInt64?) throws -> LogFinding? {
        // Beside a writer, a reader that starts before the walk preserves the pages of the walked state. A file that
        // cannot be opened is walked without a reader.
        var options = Environment.Options()
        options.readOnly = true
        guard let environment = try? Environment(directory: folder.log, options: options) else {
            return try walk(folder, signedSize)
        }
        return try environment.read { _ in try walk(folder, signedSize) }
    }

    private static func walk(_ folder: DataFolder, _ signedSize: UInt64?) throws(StorageError) -> LogFinding? {
        do throws(LMDBError) {
            let file = try MappedFile(folder.log + "/data.mdb")
            var size: UInt64 = 0
            let walk = PageWalk.run(over: file.bytes, flags: LogStore.flags(of:)) { entry, database, _ in
                if database == "records" { size = entry.integerKey + 1 }
            }
            if let finding = walk.findings.first { return .structure(what: "page \(finding.page): \(finding.what)") }
            if let signedSize, size < signedSize {
                return .structure(what: "\(size) events, below the \(signedSize) of the last signed checkpoint")
            }
            return nil
        } catch {
            if error.code == .MDB_CORRUPTED || error.code == .MDB_INVALID { return .structure(what: "\(error)") }
            throw StorageError(error, while: "reading the data file failed")
        }
    }
}

extension LogStore {
    /// Returns the flags of a database of the log, for readers of the unopened file; nil for an unknown name.
    static func flags(of database: String) -> UInt32? {
        switch database {
        case "meta": 0
        case "records", "evidence", "headers": Database.Flags.integerKey.rawValue
        default: treeLevels.contains { database == "tree\($0)" } ? Database.Flags.integerKey.rawValue : nil
        }
    }
}
