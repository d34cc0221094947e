import CLMDB
import Synchronization

extension Environment {
    /// The state of the environment as of its last commit.
    package struct Information: Hashable, Sendable {
        package var mapSizeBytes: Int
        package var pageSizeBytes: Int
        /// The number of the last page in use; earlier pages may be free.
        package var lastPage: Int
        package var lastTransactionID: UInt64
        package var maxReaders: Int
    }

    package func information() throws(LMDBError) -> Information {
        var information = unsafe MDB_envinfo()
        try LMDBError.check(unsafe mdb_env_info(handle, &information), "mdb_env_info")
        var statistics = MDB_stat()
        try LMDBError.check(unsafe mdb_env_stat(handle, &statistics), "mdb_env_stat")
        return unsafe Information(
            mapSizeBytes: information.me_mapsize, pageSizeBytes: Int(statistics.ms_psize),
            lastPage: information.me_last_pgno, lastTransactionID: UInt64(information.me_last_txnid),
            maxReaders: Int(information.me_maxreaders))
    }

    /// Frees the slots of readers whose process has died. Otherwise these slots would prevent the reuse of pages.
    /// - Returns: the number of freed slots.
    @discardableResult
    package func clearStaleReaders() throws(LMDBError) -> Int {
        var dead: Int32 = 0
        try LMDBError.check(unsafe mdb_reader_check(handle, &dead), "mdb_reader_check")
        return Int(dead)
    }

    /// Syncs the data file. Commits sync it themselves; this is for a file without any commit.
    func sync() throws(LMDBError) {
        try LMDBError.check(unsafe mdb_env_sync(handle, 1), "mdb_env_sync")
    }

    /// Opens a named database, creating it when it does not exist and the environment is not read-only.
    ///
    /// Transactions begun earlier cannot use the handle. Call it outside any transaction of the calling thread.
    /// - Throws: `MDB_NOTFOUND` when it does not exist and cannot be created, `MDB_INCOMPATIBLE` when it
    ///   exists with other flags, `MDB_DBS_FULL` beyond `maxDatabases`.
    package func openDatabase(_ name: String, flags: Database.Flags = []) throws(LMDBError) -> Database {
        try openDatabases([(name, flags)])[0]
    }

    /// Opens several databases. Missing ones are created in one transaction: after a crash all of them exist, or none.
    /// - Parameter creating: whether missing databases are created; a read-only environment creates none.
    package func openDatabases(
        _ databases: [(name: String, flags: Database.Flags)], creating: Bool = true
    ) throws(LMDBError) -> [Database] {
        // A transaction that opens databases must end before another one in this process does so (lmdb.h,
        // mdb_dbi_open).
        try databaseOpening.withLock { _ throws(LMDBError) in
            do throws(LMDBError) {
                let reader = try beginRead()
                let opened = try reader.openDatabases(databases, options: 0)
                try reader.end()
                return opened
            } catch {
                guard error.code == .MDB_NOTFOUND, creating, !options.readOnly else { throw error }
            }
            let writer = try beginWrite()
            let opened = try writer.openDatabases(databases, options: UInt32(MDB_CREATE))
            try writer.end()
            return opened
        }
    }
}

extension LMDBTransaction {
    fileprivate borrowing func openDatabases(
        _ databases: [(name: String, flags: Database.Flags)], options: UInt32
    ) throws(LMDBError) -> [Database] {
        var opened: [Database] = []
        for (name, flags) in databases { opened.append(try openDatabase(name, flags: flags, options: options)) }
        return opened
    }

    fileprivate borrowing func openDatabase(
        _ name: String, flags: Database.Flags, options: UInt32
    ) throws(LMDBError) -> Database {
        var database: MDB_dbi = 0
        try LMDBError.check(
            unsafe mdb_dbi_open(handle, name, flags.rawValue | options, &database), "mdb_dbi_open \(name)")
        var found: UInt32 = 0
        try LMDBError.check(unsafe mdb_dbi_flags(handle, database, &found), "mdb_dbi_flags")
        guard found == flags.rawValue else {
            throw LMDBError(
                .MDB_INCOMPATIBLE, operation: "mdb_dbi_open \(name)",
                expected: "flags \(flags.rawValue)", found: "\(found)")
        }
        return Database(handle: database, flags: flags)
    }
}
