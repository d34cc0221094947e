import LMDBFileFormat

/// The opening check of an environment's data file.
enum DataFileCheck {
    /// - Throws: `MDB_INVALID`, `MDB_VERSION_MISMATCH` or `MDB_CORRUPTED` for a file that is not sound, else the
    ///   `errno` of reading it. A missing or empty file is left to liblmdb, which creates a new one.
    static func run(directory: String, forWriting: Bool) throws(LMDBError) {
        let path = "\(directory)/\(Environment.dataFileName)"
        var failure: (finding: PageWalk.Finding, transaction: UInt64?)?
        for _ in 0..<mostAttempts {
            let file: MappedFile
            do throws(LMDBError) {
                file = try MappedFile(path)
            } catch {
                guard error.code != .ENOENT else { return }
                throw error
            }
            guard file.bytes.byteCount > 0 else { return }
            do throws(PageWalk.Finding) {
                return try OpeningCheck.run(file.bytes, forWriting: forWriting)
            } catch {
                let transaction = OpeningCheck.newestTransaction(in: file.bytes)
                let isSettled = failure.map { $0.transaction == transaction } ?? false
                failure = (error, transaction)
                if isSettled { break }
            }
        }
        guard let finding = failure?.finding else { return }
        throw LMDBError(finding.kind.code, operation: "examine \(path)", found: "page \(finding.page): \(finding.what)")
    }

    /// A concurrent writer may reuse pages during the check, but only after a commit. The file is therefore damaged if
    /// two attempts fail on the same transaction. A writer rarely commits during each of five attempts.
    private static let mostAttempts = 5
}

extension PageWalk.Finding.Kind {
    fileprivate var code: LMDBError.Code {
        switch self {
        case .notADataFile: .MDB_INVALID
        case .otherVersion: .MDB_VERSION_MISMATCH
        case .damaged: .MDB_CORRUPTED
        }
    }
}
