import LMDB

/// Walks the pages of the log's data file without liblmdb, which believes what it reads and may crash on damage.
package enum FileAudit {
    /// - Parameter signedSize: of the last signed checkpoint; a log below it has lost what it vouched for.
    /// - Returns: the first finding, nil when the file is sound.
    /// - Throws: `io_error` when the file cannot be read.
    package static func firstFinding(in folder: DataFolder, signedSize: UInt64?) throws -> AuditFinding? {
        // Beside a writer, a reader begun before the walk keeps the pages of the walked state in place. A file that
        // cannot be opened is walked all the same.
        var options = Environment.Options()
        options.readOnly = true
        guard let environment = try? Environment(directory: folder.log, options: options) else {
            return try walk(folder, signedSize)
        }
        return try environment.read { _ in try walk(folder, signedSize) }
    }

    private static func walk(_ folder: DataFolder, _ signedSize: UInt64?) throws(EventLogError) -> AuditFinding? {
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
            throw EventLogError(error, while: "the data file was not read")
        }
    }
}

extension LogStore {
    /// The databases of a log, for who reads the file without opening it.
    static func flags(of database: String) -> Database.Flags? {
        switch database {
        case "meta": []
        case "records", "evidence", "headers": .integerKey
        default: treeLevels.contains { database == "tree\($0)" } ? .integerKey : nil
        }
    }
}
