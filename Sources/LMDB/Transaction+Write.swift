import CLMDB

extension LMDBTransaction where Access == WriteAccess {
    package struct PutFlags: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// MDB_APPEND: the key is above all others, else `MDB_KEYEXIST`. This saves the search and fills pages
        /// completely.
        package static let append = PutFlags(rawValue: UInt32(MDB_APPEND))
    }

    /// Commits the transaction durably.
    ///
    /// After an error, no change of the transaction is in the environment, with one exception: when writing the meta
    /// page fails, the outcome is unknown, and every later transaction of this environment fails with `MDB_PANIC` until
    /// it is reopened.
    /// - Throws: `ENOSPC`, `EDQUOT` or `EFBIG` when the disk is full; `EIO` when a write or a sync failed;
    ///   `MDB_MAP_FULL` when there is no room for the free list; `MDB_BAD_TXN` when an earlier change had failed.
    package consuming func commit() throws(LMDBError) {
        let environment = environment
        do throws(LMDBError) {
            try end()
        } catch {
            // liblmdb reports a partial write as EIO, and a full disk first shows as a partial write.
            guard error.code == .EIO, let code = environment.diskFullCode() else { throw error }
            throw LMDBError(code, operation: error.operation)
        }
    }

    /// Stores `value` under `key`, replacing an existing value unless `flags` prevent it.
    /// - Throws: `MDB_KEYEXIST`, `MDB_MAP_FULL`, `MDB_BAD_VALSIZE`; after an error other than `MDB_KEYEXIST` and
    ///   `MDB_BAD_VALSIZE` the transaction can only be aborted.
    package mutating func put(
        _ value: RawSpan, at key: RawSpan, in database: Database, _ flags: PutFlags = []
    ) throws(LMDBError) {
        let result = unsafe withMDBValue(of: key) { key in
            unsafe withMDBValue(of: value) { unsafe mdb_put(handle, database.handle, key, $0, flags.rawValue) }
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// Stores `value` under `key` in a database of integer keys.
    package mutating func put(
        _ value: RawSpan, at key: UInt64, in database: Database, _ flags: PutFlags = []
    ) throws(LMDBError) {
        database.preconditionIntegerKeys()
        let result = unsafe withMDBValue(of: key) { key in
            unsafe withMDBValue(of: value) { unsafe mdb_put(handle, database.handle, key, $0, flags.rawValue) }
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// Removes `key` and its value.
    /// - Returns: whether the key existed.
    @discardableResult
    package mutating func delete(_ key: RawSpan, in database: Database) throws(LMDBError) -> Bool {
        let result = unsafe withMDBValue(of: key) { unsafe mdb_del(handle, database.handle, $0, nil) }
        return try deleted(result)
    }

    /// Removes `key` and its value from a database of integer keys.
    @discardableResult
    package mutating func delete(_ key: UInt64, in database: Database) throws(LMDBError) -> Bool {
        database.preconditionIntegerKeys()
        let result = unsafe withMDBValue(of: key) { unsafe mdb_del(handle, database.handle, $0, nil) }
        return try deleted(result)
    }

    private func deleted(_ result: Int32) throws(LMDBError) -> Bool {
        if result == MDB_NOTFOUND { return false }
        try LMDBError.check(result, "mdb_del")
        return true
    }
}
