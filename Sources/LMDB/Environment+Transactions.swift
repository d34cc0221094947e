extension Environment {
    /// Runs `body` on one snapshot of the environment. Only copies of the data can leave the closure.
    ///
    /// A long read prevents the reuse of every page freed since its snapshot, so the file grows. Long scans use
    /// `beginRead()` and `renew()`.
    /// - Throws: the error of `body`, `MDB_READERS_FULL`, or any other error of beginning a transaction.
    package func read<Result: ~Copyable>(
        _ body: (borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        let transaction = try beginRead()
        return try body(transaction)
    }

    /// Runs `body` in a write transaction and commits when it returns. When `body` throws, the transaction is aborted.
    ///
    /// Waits for the current writer. A nested write on the same thread deadlocks.
    /// - Throws: the error of `body`, or of beginning or committing the transaction (see `WriteTransaction.commit()`).
    package func write<Result: ~Copyable>(
        _ body: (inout WriteTransaction) throws -> Result
    ) throws -> Result {
        var transaction = try beginWrite()
        let result = try body(&transaction)
        try transaction.commit()
        return result
    }

    /// Begins a read transaction that ends with the value's lifetime. It may move between threads, but only one thread
    /// may use it at a time.
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        try ReadTransaction(in: self, readOnly: true)
    }

    /// Begins a write transaction, waiting for the current writer. Without `commit()` it is aborted at the end of the
    /// value's lifetime. It must be used and ended on the thread that began it, which owns the writer's lock.
    package func beginWrite() throws(LMDBError) -> WriteTransaction {
        try WriteTransaction(in: self, readOnly: false)
    }
}
