package import LMDB
import LMDBFileFormat
package import LedgerStorage

/// Walks the pages of a data file without liblmdb, which trusts its input and may crash on damage.
package enum FileAudit {
    /// The number of entries between two reports of the progress.
    private static let reportStep = 65_536

    /// Walks the log.
    /// - Parameters:
    ///   - signedSize: the size of the last signed checkpoint; a smaller log has lost signed events.
    ///   - progress: called with the number of entries visited.
    /// - Returns: the first finding; nil when the file is sound.
    /// - Throws: `io_error` when the file cannot be read.
    package static func firstFinding(
        in folder: DataFolder, signedSize: UInt64?, progress: (UInt64) -> Void = { _ in }
    ) throws -> LogFinding? {
        var size: UInt64 = 0
        let fault = try firstFault(in: folder.log, flags: LogStore.flags(of:), progress) { entry, database in
            if database == "records" { size = entry.integerKey + 1 }
        }
        if let fault { return .structure(what: fault) }
        if let signedSize, size < signedSize {
            return .structure(what: "\(size) events, below the \(signedSize) of the last signed checkpoint")
        }
        return nil
    }

    /// Walks an environment of derived data.
    /// - Parameter databases: all databases that it may have.
    /// - Returns: the first fault; nil when the file is sound.
    /// - Throws: `io_error` when the file cannot be read.
    package static func firstFault(
        in directory: String, _ databases: [(name: String, flags: Database.Flags)], progress: (UInt64) -> Void
    ) throws -> String? {
        let flags = Dictionary(uniqueKeysWithValues: databases.map { ($0.name, $0.flags.rawValue) })
        return try firstFault(in: directory, flags: { flags[$0] }, progress) { _, _ in }
    }

    private static func firstFault(
        in directory: String, flags: (String) -> UInt32?, _ progress: (UInt64) -> Void,
        _ visit: (DataFileEntry, String) -> Void
    ) throws -> String? {
        // Beside a writer, a reader that starts before the walk preserves the pages of the walked state. A file that
        // cannot be opened is walked without a reader.
        var options = Environment.Options()
        options.readOnly = true
        guard let environment = try? Environment(directory: directory, options: options) else {
            return try walk(directory, flags, progress, visit)
        }
        return try environment.read { _ in try walk(directory, flags, progress, visit) }
    }

    private static func walk(
        _ directory: String, _ flags: (String) -> UInt32?, _ progress: (UInt64) -> Void,
        _ visit: (DataFileEntry, String) -> Void
    ) throws(StorageError) -> String? {
        do throws(LMDBError) {
            let file = try MappedFile("\(directory)/\(Environment.dataFileName)")
            var count = 0
            let walk = PageWalk.run(over: file.bytes, flags: flags) { entry, database, _ in
                visit(entry, database)
                count += 1
                if count % reportStep == 0 { progress(UInt64(count)) }
            }
            return walk.findings.first.map { "page \($0.page): \($0.what)" }
        } catch {
            if error.code == .MDB_CORRUPTED || error.code == .MDB_INVALID { return "\(error)" }
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
