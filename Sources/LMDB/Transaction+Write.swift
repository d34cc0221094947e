import CLMDB

extension LMDBTransaction where Access == WriteAccess {
    package struct PutFlags: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// MDB_APPEND: the key is above all others, which spares the search and fills pages to the brim; else
        /// `MDB_KEYEXIST`.
        package static let append = PutFlags(rawValue: UInt32(MDB_APPEND))
        /// MDB_NOOVERWRITE: `MDB_KEYEXIST` when the key is there already.
        package static let noOverwrite = PutFlags(rawValue: UInt32(MDB_NOOVERWRITE))
    }

    /// Makes everything durable.
    ///
    /// After an error nothing of the transaction is in the environment, with one exception: when the write of
    /// the meta page itself fails, it is unknown whether the commit holds, and from then on every transaction
    /// of this environment fails with `MDB_PANIC` until it is opened anew.
    /// - Throws: `ENOSPC`, `EDQUOT` or `EFBIG` when the disk is full; `EIO` when a write or a sync failed;
    ///   `MDB_MAP_FULL` when there is no room for the free list; `MDB_BAD_TXN` when an earlier change had
    ///   failed.
    package consuming func commit() throws(LMDBError) {
        let environment = environment
        do throws(LMDBError) {
            try end()
        } catch {
            // liblmdb says EIO when the disk takes only a part of a write, which is how a full one shows
            // first.
            guard error.code == .EIO, let code = environment.diskFullCode() else { throw error }
            throw LMDBError(code, operation: error.operation)
        }
    }

    /// Stores `value` under `key`, replacing what was there unless `flags` say otherwise.
    /// - Throws: `MDB_KEYEXIST`, `MDB_MAP_FULL`, `MDB_BAD_VALSIZE`; after an error other than `MDB_KEYEXIST`
    ///   and `MDB_BAD_VALSIZE` the transaction can only be aborted.
    package mutating func put(
        _ value: RawSpan, at key: RawSpan, in database: Database, _ flags: PutFlags = []
    ) throws(LMDBError) {
        let result = unsafe withMDBValue(of: key) { key in
            unsafe withMDBValue(of: value) { unsafe mdb_put(handle, database.handle, key, $0, flags.rawValue) }
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// The same for a database of integer keys.
    package mutating func put(
        _ value: RawSpan, at key: UInt64, in database: Database, _ flags: PutFlags = []
    ) throws(LMDBError) {
        database.preconditionIntegerKeys()
        let result = unsafe withMDBValue(of: key) { key in
            unsafe withMDBValue(of: value) { unsafe mdb_put(handle, database.handle, key, $0, flags.rawValue) }
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// Stores a value of `byteCount` bytes under `key` and lets `body` write it in place, which spares a
    /// copy. What `body` leaves unwritten is zero.
    package mutating func reserve(
        _ byteCount: Int, at key: UInt64, in database: Database, _ flags: PutFlags = [],
        _ body: (inout OutputRawSpan) -> Void
    ) throws(LMDBError) {
        database.preconditionIntegerKeys()
        var value = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
        let result = unsafe withMDBValue(of: key) {
            unsafe mdb_put(handle, database.handle, $0, &value, flags.rawValue | UInt32(MDB_RESERVE))
        }
        try LMDBError.check(result, "mdb_put")
        // liblmdb has made room for exactly `byteCount` bytes at mv_data, which stay there until the next
        // change; `self` cannot be used before this returns. The memory comes from malloc, so all of it is
        // written here.
        let room = unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
        var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
        body(&output)
        unsafe output.append(repeating: 0, count: output.freeCapacity, as: UInt8.self)
    }

    /// Removes `key` and its value.
    /// - Returns: whether it was there.
    @discardableResult
    package mutating func delete(_ key: RawSpan, in database: Database) throws(LMDBError) -> Bool {
        let result = unsafe withMDBValue(of: key) { unsafe mdb_del(handle, database.handle, $0, nil) }
        return try deleted(result)
    }

    /// The same for a database of integer keys.
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
