package import LMDB

extension StorageError {
    package init(opening directory: String, _ error: LMDBError) {
        let code: Code =
            switch error.code {
            case .MDB_VERSION_MISMATCH: .versionUnknown
            // MDB_NOTFOUND: a database is missing, although a log is created with all its databases.
            case .MDB_INVALID, .MDB_CORRUPTED, .MDB_PAGE_NOTFOUND, .MDB_NOTFOUND, .MDB_INCOMPATIBLE: .logCorrupt
            default: Self.code(of: error)
            }
        self.init(
            code, "the environment at \(directory) cannot be opened: \(error.operation): \(error.code)",
            expected: error.expected, found: error.found,
            hint: code == .logCorrupt ? "Run `subledger audit verify --deep` or restore a backup." : nil)
    }

    package init(_ error: LMDBError, while doing: String) {
        let code = Self.code(of: error)
        let hint: String? =
            switch code {
            case .mapFull: "Increase log.mapSizeBytes and restart."
            case .diskFull: "Free disk space. Appends resume automatically."
            default: nil
            }
        self.init(code, "\(doing): \(error.operation): \(error.code)", hint: hint)
    }

    /// Whether a transaction failed for lack of room, so that nothing of it can be in the file.
    package static func isNoRoom(_ error: LMDBError) -> Bool {
        [.MDB_MAP_FULL, .ENOSPC, .EDQUOT, .EFBIG].contains(error.code)
    }

    private static func code(of error: LMDBError) -> Code {
        switch error.code {
        case .MDB_MAP_FULL: .mapFull
        case .ENOSPC, .EDQUOT, .EFBIG: .diskFull
        case .MDB_READERS_FULL: .busy
        case .MDB_CORRUPTED, .MDB_PAGE_NOTFOUND, .MDB_CURSOR_FULL, .MDB_PAGE_FULL: .logCorrupt
        default: .ioError
        }
    }
}
