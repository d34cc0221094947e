/// What is examined of a data file before liblmdb opens it. liblmdb takes what it reads for true: a wrong
/// page size or root makes it read outside its map.
///
/// The meta pages, the length of the file and the main root are examined always. For a writer also the whole free list,
/// which it alone reads, and the end of every tree, where it goes on. Deeper damage is for `PageWalk` to find.
enum DataFileCheck {
    /// - Throws: `MDB_INVALID`, `MDB_VERSION_MISMATCH` or `MDB_CORRUPTED` for a file that is not sound, else
    ///   the `errno` of reading it. A missing or empty file is left to liblmdb, which makes a new one of it.
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
                return try check(file.bytes, forWriting: forWriting)
            } catch {
                let transaction = try? MetaPages(file.bytes).transactionID
                let isSettled = failure.map { $0.transaction == transaction } ?? false
                failure = (error, transaction)
                if isSettled { break }
            }
        }
        guard let finding = failure?.finding else { return }
        throw LMDBError(finding.code, operation: "examine \(path)", found: "page \(finding.page): \(finding.what)")
    }

    /// A writer at work may use pages anew while they are looked at, but then it has also committed. So a
    /// file is damaged if that shows twice in the same state; and a writer is not that fast so often.
    private static let mostAttempts = 5

    /// - Throws: the first thing found.
    static func check(_ file: RawSpan, forWriting: Bool) throws(PageWalk.Finding) {
        let metaPages = try MetaPages(file)
        var walker = try TreeWalker(file, metaPages, mapping: false)
        let isShort = metaPages.lastPage >= walker.filePages
        if forWriting || isShort { walker.freeList() }
        if forWriting {
            for tree in walker.mainTree() { walker.edge(of: tree) }
        } else {
            walker.rootPage(of: metaPages.main, kind: .main)
        }
        if let finding = walker.findings.first { throw finding }
        // The last pages may never have been written, if they are free.
        guard isShort else { return }
        for page in walker.filePages...metaPages.lastPage where !walker.isMet(page) {
            throw PageWalk.Finding(page, "beyond the end of the file")
        }
    }
}
