/// What is examined of a data file before liblmdb opens it. liblmdb takes what it reads for true: a wrong page size or
/// root makes it read outside its map.
///
/// The meta pages, the length of the file and the main root are examined always; the whole free list for a writer, who
/// alone reads it. Deeper damage is for `PageWalk` to find.
enum DataFileCheck {
    /// - Throws: `MDB_INVALID`, `MDB_VERSION_MISMATCH` or `MDB_CORRUPTED` for a file that is not sound, else the
    ///   `errno` of reading it. A missing or empty file is left to liblmdb, which makes a new one of it.
    static func run(directory: String, forWriting: Bool) throws(LMDBError) {
        let path = "\(directory)/\(Environment.dataFileName)"
        var seenTransaction: UInt64??
        while true {
            let file: MappedFile
            do throws(LMDBError) {
                file = try MappedFile(path)
            } catch {
                guard error.code != .ENOENT else { return }
                throw error
            }
            guard file.bytes.byteCount > 0 else { return }
            do throws(PageWalk.Finding) {
                return try check(file.bytes, forWriting: forWriting)
            } catch {
                // A writer may have used the pages anew meanwhile. If so, it has also committed.
                let transaction = try? MetaPages(file.bytes).transactionID
                guard transaction != seenTransaction else {
                    throw LMDBError(
                        error.code, operation: "examine \(path)", found: "page \(error.page): \(error.what)")
                }
                seenTransaction = .some(transaction)
            }
        }
    }

    /// - Throws: the first thing found.
    static func check(_ file: RawSpan, forWriting: Bool) throws(PageWalk.Finding) {
        let metaPages = try MetaPages(file)
        var walker = try TreeWalker(file, metaPages, mapping: false)
        walker.rootPage(of: metaPages.main, kind: .main)
        let isShort = metaPages.lastPage >= walker.filePages
        if forWriting || isShort { walker.freeList() }
        if let finding = walker.findings.first { throw finding }
        // The last pages may never have been written, if they are free.
        guard isShort else { return }
        for page in walker.filePages...metaPages.lastPage where !walker.isMet(page) {
            throw PageWalk.Finding(page, "beyond the end of the file")
        }
    }
}
