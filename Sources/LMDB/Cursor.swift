import CLMDB

/// A position in a database. It cannot outlive its transaction. While it exists, a write transaction cannot change
/// anything, so returned entries stay valid when the cursor moves.
@safe
package struct Cursor: ~Copyable, ~Escapable {
    private let handle: OpaquePointer
    private let database: Database

    // The caller ties the cursor's lifetime to its transaction.
    @_lifetime(immortal)
    init(_ handle: OpaquePointer, _ database: Database) {
        unsafe self.handle = unsafe handle
        self.database = database
    }

    deinit {
        unsafe mdb_cursor_close(handle)
    }

    /// Moves to the first entry and returns it, or nil in an empty database.
    @_lifetime(copy self)
    package mutating func first() throws(LMDBError) -> Database.Entry? { try move(MDB_FIRST) }

    /// Moves to the last entry and returns it, or nil in an empty database.
    @_lifetime(copy self)
    package mutating func last() throws(LMDBError) -> Database.Entry? { try move(MDB_LAST) }

    /// Moves to the next entry, or from no position to the first, and returns it; nil after the last.
    @_lifetime(copy self)
    package mutating func next() throws(LMDBError) -> Database.Entry? { try move(MDB_NEXT) }

    @_lifetime(copy self)
    package mutating func seek(_ key: RawSpan) throws(LMDBError) -> Database.Entry? {
        var value = unsafe MDB_val()
        var found = unsafe MDB_val()
        let result = unsafe withMDBValue(of: key) {
            let result = unsafe mdb_cursor_get(handle, $0, &value, MDB_SET_RANGE)
            unsafe found = unsafe $0.pointee
            return result
        }
        return try unsafe entry(result, found, value)
    }

    /// Moves to the first entry with an integer key not below `key` and returns it; nil when all keys are below.
    @_lifetime(copy self)
    package mutating func seek(_ key: UInt64) throws(LMDBError) -> Database.Entry? {
        database.preconditionIntegerKeys()
        var value = unsafe MDB_val()
        var found = unsafe MDB_val()
        let result = unsafe withMDBValue(of: key) {
            let result = unsafe mdb_cursor_get(handle, $0, &value, MDB_SET_RANGE)
            unsafe found = unsafe $0.pointee
            return result
        }
        return try unsafe entry(result, found, value)
    }

    @_lifetime(copy self)
    private mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Database.Entry? {
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        let result = unsafe mdb_cursor_get(handle, &key, &value, operation)
        return try unsafe entry(result, key, value)
    }

    @_lifetime(copy self)
    private func entry(_ result: Int32, _ key: MDB_val, _ value: MDB_val) throws(LMDBError) -> Database.Entry? {
        if result == MDB_NOTFOUND { return nil }
        try LMDBError.check(result, "mdb_cursor_get")
        // Key and value are in the map or in a page of the transaction. They stay valid until the transaction ends or
        // changes something; the cursor's lifetime ends before either.
        return unsafe _overrideLifetime(Database.Entry(key: RawSpan(key), value: RawSpan(value)), copying: self)
    }
}
