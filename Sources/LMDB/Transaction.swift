import CLMDB

/// The right to read one snapshot.
package enum ReadAccess {}
/// The right to read and change the newest state; one holder at a time.
package enum WriteAccess {}

package typealias ReadTransaction = LMDBTransaction<ReadAccess>
package typealias WriteTransaction = LMDBTransaction<WriteAccess>

/// A transaction: everything read through it belongs to one state of the environment.
///
/// What it returns are views of the memory map. The compiler keeps them from outliving the transaction, and
/// in a write transaction from outliving the next change.
@safe
package struct LMDBTransaction<Access>: ~Copyable {
    let environment: Environment
    /// Nil once it has ended.
    private(set) var handle: OpaquePointer?

    init(in environment: Environment, readOnly: Bool) throws(LMDBError) {
        self.environment = environment
        var begun: OpaquePointer?
        let flags = readOnly ? UInt32(MDB_RDONLY) : 0
        try LMDBError.check(unsafe mdb_txn_begin(environment.handle, nil, flags, &begun), "mdb_txn_begin")
        unsafe handle = unsafe begun
    }

    deinit {
        // A null transaction is ignored; `environment` is released only after this, so it is still open.
        unsafe mdb_txn_abort(handle)
    }

    /// Ends it, keeping what it did. Whatever mdb_txn_commit returns, the transaction is gone.
    consuming func end() throws(LMDBError) {
        let ended = unsafe handle
        unsafe handle = nil
        try LMDBError.check(unsafe mdb_txn_commit(ended), "mdb_txn_commit")
    }

    /// The id of the snapshot; for a writer, the id it will have once committed.
    package var id: UInt64 {
        unsafe UInt64(mdb_txn_id(handle))
    }

    /// The value stored under `key`, or nil.
    @_lifetime(borrow self)
    package func get(_ key: RawSpan, in database: Database) throws(LMDBError) -> RawSpan? {
        var value = unsafe MDB_val()
        let result = unsafe withMDBValue(of: key) { unsafe mdb_get(handle, database.handle, $0, &value) }
        return try unsafe found(result, value)
    }

    /// The value stored under `key` in a database of integer keys, or nil.
    @_lifetime(borrow self)
    package func get(_ key: UInt64, in database: Database) throws(LMDBError) -> RawSpan? {
        database.preconditionIntegerKeys()
        var value = unsafe MDB_val()
        let result = unsafe withMDBValue(of: key) { unsafe mdb_get(handle, database.handle, $0, &value) }
        return try unsafe found(result, value)
    }

    @_lifetime(borrow self)
    private func found(_ result: Int32, _ value: MDB_val) throws(LMDBError) -> RawSpan? {
        if result == MDB_NOTFOUND { return nil }
        try LMDBError.check(result, "mdb_get")
        // The bytes lie in the map or in a page of this transaction; they stay there until it ends or, for a
        // writer, changes something, and both need `self` for themselves.
        return unsafe _overrideLifetime(RawSpan(value), borrowing: self)
    }

    /// A cursor, not yet positioned.
    @_lifetime(borrow self)
    package func cursor(in database: Database) throws(LMDBError) -> Cursor {
        var opened: OpaquePointer?
        try LMDBError.check(unsafe mdb_cursor_open(handle, database.handle, &opened), "mdb_cursor_open")
        guard let opened = unsafe opened else { throw LMDBError(.ENOMEM, operation: "mdb_cursor_open") }
        // The cursor is closed by its deinit, which the borrow of `self` places before the transaction's end.
        return unsafe _overrideLifetime(Cursor(opened, database), borrowing: self)
    }

    package func statistics(of database: Database) throws(LMDBError) -> Database.Statistics {
        var found = MDB_stat()
        try LMDBError.check(unsafe mdb_stat(handle, database.handle, &found), "mdb_stat")
        return Database.Statistics(
            entries: found.ms_entries, depth: Int(found.ms_depth), branchPages: found.ms_branch_pages,
            leafPages: found.ms_leaf_pages, overflowPages: found.ms_overflow_pages)
    }
}

extension LMDBTransaction where Access == ReadAccess {
    /// Lets go of the snapshot and takes the newest one, keeping the reader's slot.
    package mutating func renew() throws(LMDBError) {
        unsafe mdb_txn_reset(handle)
        try LMDBError.check(unsafe mdb_txn_renew(handle), "mdb_txn_renew")
    }
}
