extension Environment {
    /// Runs `body` on one snapshot of the environment; nothing it reads can leave the closure uncopied.
    ///
    /// A long reader keeps every page freed since its snapshot from being used again, so the file grows
    /// behind it: scans that take longer than a moment use `beginRead()` and renew.
    /// - Throws: what `body` throws, or `MDB_READERS_FULL`, or what else keeps a transaction from beginning.
    package func read<Result: ~Copyable>(
        _ body: (borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        let transaction = try beginRead()
        return try body(transaction)
    }

    /// Runs `body` in a write transaction and commits when it returns; when it throws, nothing of it remains.
    ///
    /// Waits for the current writer. A second write on the same thread inside `body` never gets its turn.
    /// - Throws: what `body` throws, or the error of beginning or committing (see
    ///   `WriteTransaction.commit()`).
    package func write<Result: ~Copyable>(
        _ body: (inout WriteTransaction) throws -> Result
    ) throws -> Result {
        var transaction = try beginWrite()
        let result = try body(&transaction)
        try transaction.commit()
        return result
    }

    /// Begins a read transaction that ends with the value's life. It may move between threads, but be used by
    /// one at a time.
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        try ReadTransaction(in: self, readOnly: true)
    }

    /// Begins a write transaction, waiting for the current writer. Without `commit()` it is aborted at the
    /// end of the value's life. It must be used and ended on the thread that began it, which owns the
    /// writer's lock.
    package func beginWrite() throws(LMDBError) -> WriteTransaction {
        try WriteTransaction(in: self, readOnly: false)
    }
}
