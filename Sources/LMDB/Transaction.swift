import CLMDB

/// The access of a transaction that reads one snapshot.
package enum ReadAccess {}
/// The access of a transaction that reads and changes the newest state. Only one exists at a time.
package enum WriteAccess {}

package typealias ReadTransaction = LMDBTransaction<ReadAccess>
package typealias WriteTransaction = LMDBTransaction<WriteAccess>

/// A transaction. All reads through it see one state of the environment.
///
/// The results are views of the memory map. The compiler ensures that they do not outlive the transaction or, in a
/// write transaction, the next change.
@safe
package struct LMDBTransaction<Access>: ~Copyable {
    let environment: Environment
    /// Nil after the transaction has ended.
    private(set) var handle: OpaquePointer?

    init(in environment: Environment, readOnly: Bool) throws(LMDBError) {
        self.environment = environment
        var begun: OpaquePointer?
        let flags = readOnly ? UInt32(MDB_RDONLY) : 0
        try LMDBError.check(unsafe mdb_txn_begin(environment.handle, nil, flags, &begun), "mdb_txn_begin")
        unsafe handle = unsafe begun
    }

    deinit {
        // A null transaction is ignored. `environment` is released only afterwards, so it is still open.
        unsafe mdb_txn_abort(handle)
    }

    /// Ends the transaction and keeps its changes. The handle is freed even if mdb_txn_commit fails.
    consuming func end() throws(LMDBError) {
        let ended = unsafe handle
        unsafe handle = nil
        try LMDBError.check(unsafe mdb_txn_commit(ended), "mdb_txn_commit")
    }

    /// The id of the snapshot; for a writer, the id of the transaction once committed.
    package var id: UInt64 {
        unsafe UInt64(mdb_txn_id(handle))
    }

    /// Returns the value stored under `key`, or nil.
    @_lifetime(borrow self)
    package func get(_ key: RawSpan, in database: Database) throws(LMDBError) -> RawSpan? {
        var value = unsafe MDB_val()
        let result = unsafe withMDBValue(of: key) { unsafe mdb_get(handle, database.handle, $0, &value) }
        return try unsafe found(result, value)
    }

    /// Returns the value stored under `key` in a database of integer keys, or nil.
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
        // The bytes are in the map or in a page of this transaction. They stay valid until it ends or, for a writer,
        // changes something. Both require exclusive access to `self`.
        return unsafe _overrideLifetime(RawSpan(value), borrowing: self)
    }

    /// Returns a cursor without a position.
    @_lifetime(borrow self)
    package func cursor(in database: Database) throws(LMDBError) -> Cursor {
        var opened: OpaquePointer?
        try LMDBError.check(unsafe mdb_cursor_open(handle, database.handle, &opened), "mdb_cursor_open")
        guard let opened = unsafe opened else { throw LMDBError(.ENOMEM, operation: "mdb_cursor_open") }
        // The cursor is closed by its deinit. Borrowing `self` ensures that this precedes the transaction's end.
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
