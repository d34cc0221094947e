import Primitives

/// Walks the trees of one state of a data file and marks every page it reaches. No page is visited twice, so the walk
/// ends for any contents. The unmarked pages are unreachable.
struct TreeWalker: ~Escapable {
    /// A named database, as recorded in the main database.
    struct NamedTree {
        let name: String
        let record: TreeRecord
        /// The page that contains the record.
        let page: UInt64

        var kind: TreeKind { record.flags & DataFileLayout.Tree.integerKey != 0 ? .integerKeys : .byteKeys }
    }

    let file: RawSpan
    let metaPages: MetaPages
    /// The number of whole pages in the file.
    let filePages: UInt64
    private(set) var findings: [PageWalk.Finding] = []
    private(set) var omittedFindings = 0
    var map: PageMap?
    var starts: NodeStarts
    private var visited: [UInt64]

    /// The maximum number of pages beyond the end of the file. Pages that a transaction allocates at the end and frees
    /// again are on the free list, but never written. A transaction has at most 2^17 - 1 unwritten pages
    /// (MDB_IDL_UM_MAX). The limit allows several such transactions, and prevents a damaged last page number from
    /// demanding much memory.
    private static let mostPagesNeverWritten: UInt64 = 1 << 20

    @_lifetime(copy file)
    init(_ file: RawSpan, _ metaPages: MetaPages, mapping: Bool) throws(PageWalk.Finding) {
        let filePages = UInt64(file.byteCount / metaPages.pageSize)
        guard metaPages.lastPage < filePages + Self.mostPagesNeverWritten else {
            throw PageWalk.Finding(
                UInt64(metaPages.newer), "last page \(metaPages.lastPage), but the file has only \(filePages)")
        }
        self.file = file
        self.metaPages = metaPages
        self.filePages = filePages
        starts = NodeStarts(pageSize: metaPages.pageSize)
        map = mapping ? PageMap(metaPages, filePages: Int(filePages)) : nil
        visited = Array(repeating: 0, count: Int(metaPages.lastPage / 64) + 1)
        visited[0] = (1 << DataFileLayout.metaPages) - 1
    }

    mutating func report(_ page: UInt64, _ what: String) {
        if findings.count < PageWalk.mostFindings {
            findings.append(PageWalk.Finding(page, what))
        } else {
            omittedFindings += 1
        }
    }

    // MARK: Trees

    /// Walks the main database.
    /// - Returns: the named databases, ordered by name.
    mutating func mainTree() -> [NamedTree] {
        var named: [NamedTree] = []
        let progress = TreeProgress(kind: .main, name: "main database", owner: .main)
        follow(metaPages.main, progress, from: UInt64(metaPages.newer)) { entry, page in
            let name = unsafe entry.key.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            // The page passed its check, so the value is a whole record.
            named.append(NamedTree(name: name, record: TreeRecord(entry.value, at: 0), page: page))
        }
        return named
    }

    mutating func namedTree(
        _ tree: NamedTree, index: Int, expected: UInt32?,
        visit: (DataFileEntry, String, UInt64) -> Void
    ) {
        map?.databases.append((tree.name, tree.kind))
        if let expected {
            if UInt32(tree.record.flags) != expected {
                report(tree.page, "\(tree.name): flags \(tree.record.flags), expected \(expected)")
            }
        } else {
            report(tree.page, "unexpected database \(tree.name)")
        }
        if let fault = tree.record.fault(lastPage: metaPages.lastPage) {
            report(tree.page, "\(tree.name): \(fault)")
            return
        }
        let progress = TreeProgress(kind: tree.kind, name: tree.name, owner: .database(index))
        follow(tree.record, progress, from: tree.page) { entry, page in visit(entry, tree.name, page) }
    }

    mutating func freeList() {
        let progress = TreeProgress(kind: .freeList, name: "free list", owner: .freeList)
        follow(metaPages.freeList, progress, from: UInt64(metaPages.newer)) { _, _ in }
    }

    /// Checks only the root page of a tree.
    mutating func rootPage(of record: TreeRecord, kind: TreeKind) {
        guard !record.isEmpty else { return }
        guard record.root < filePages else { return report(record.root, "beyond the end of the file") }
        let page = TreePage(bytes(of: record.root))
        if let fault = page.fault(number: record.root, isLeaf: record.depth == 1, kind: kind, starts: &starts) {
            report(record.root, fault)
        }
    }

    /// Reports the pages that are in no tree and not free.
    mutating func unaccountedPages() {
        for page in 0...metaPages.lastPage where !isVisited(page) { report(page, "in no tree and not free") }
    }

    // MARK: Pages

    func isVisited(_ page: UInt64) -> Bool { visited[Int(page / 64)] & (1 << (page % 64)) != 0 }

    /// Marks `page`, which `referrer` names, as reached.
    /// - Returns: whether it may be read; otherwise the fault has been reported.
    mutating func meet(_ page: UInt64, from referrer: UInt64, mustBeInFile: Bool = true) -> Bool {
        guard page >= DataFileLayout.metaPages, page <= metaPages.lastPage else {
            report(referrer, "refers to page \(page), expected 2 to \(metaPages.lastPage)")
            return false
        }
        guard !isVisited(page) else {
            report(page, "used twice, the second time by page \(referrer)")
            return false
        }
        visited[Int(page / 64)] |= 1 << (page % 64)
        guard page < filePages || !mustBeInFile else {
            report(page, "beyond the end of the file")
            return false
        }
        return true
    }

    /// The offset of `page`, which must be in the file.
    func start(of page: UInt64) -> Int { Int(page) * metaPages.pageSize }

    @_lifetime(copy self)
    func bytes(of page: UInt64) -> RawSpan {
        file.extracting(start(of: page)..<start(of: page) + metaPages.pageSize)
    }
}
