/// Follows the trees of one state of a data file, taking every page it meets out of the pages not yet met: so
/// it ends, whatever the pages say, and knows in the end which of them nothing leads to.
struct TreeWalker: ~Escapable {
    /// A named database as the main database has it.
    struct NamedTree {
        let name: String
        let record: TreeRecord
        /// The page that says so.
        let page: UInt64

        var kind: TreeKind { record.flags & DataFileLayout.Tree.integerKey != 0 ? .integerKeys : .byteKeys }
    }

    let file: RawSpan
    let metaPages: MetaPages
    /// Whole pages in the file.
    let filePages: UInt64
    private(set) var findings: [PageWalk.Finding] = []
    private(set) var omittedFindings = 0
    var map: PageMap?
    var starts: NodeStarts
    private var met: [UInt64]

    /// Pages at the end that a transaction allocated and freed again are listed free, but never written. A
    /// transaction holds at most 2^17 - 1 unwritten pages (MDB_IDL_UM_MAX); room for a few of them, and yet a
    /// damaged last page number cannot ask for much memory.
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
        met = Array(repeating: 0, count: Int(metaPages.lastPage / 64) + 1)
        met[0] = (1 << DataFileLayout.metaPages) - 1
    }

    mutating func report(_ page: UInt64, _ what: String) {
        if findings.count < PageWalk.mostFindings {
            findings.append(PageWalk.Finding(page, what))
        } else {
            omittedFindings += 1
        }
    }

    // MARK: Trees

    /// Follows the main database.
    /// - Returns: the databases it names, in the order of their names.
    mutating func mainTree() -> [NamedTree] {
        var named: [NamedTree] = []
        let progress = TreeProgress(kind: .main, name: "main database", owner: .main)
        follow(metaPages.main, progress, from: UInt64(metaPages.newer)) { entry, page in
            let name = unsafe entry.key.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            // The page was found sound, so the value is a whole record.
            named.append(NamedTree(name: name, record: TreeRecord(entry.value, at: 0), page: page))
        }
        return named
    }

    mutating func namedTree(
        _ tree: NamedTree, index: Int, expected: Database.Flags?,
        visit: (Database.Entry, String, UInt64) -> Void
    ) {
        map?.databases.append((tree.name, tree.kind))
        if let expected {
            if UInt32(tree.record.flags) != expected.rawValue {
                report(tree.page, "\(tree.name): flags \(tree.record.flags), expected \(expected.rawValue)")
            }
        } else {
            report(tree.page, "there must be no database named \(tree.name)")
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

    /// Looks at no more of a tree than its root page.
    mutating func rootPage(of record: TreeRecord, kind: TreeKind) {
        guard !record.isEmpty else { return }
        guard record.root < filePages else { return report(record.root, "beyond the end of the file") }
        let page = TreePage(bytes(of: record.root))
        if let fault = page.fault(number: record.root, isLeaf: record.depth == 1, kind: kind, starts: &starts) {
            report(record.root, fault)
        }
    }

    /// Reports the pages that nothing has led to.
    mutating func unaccountedPages() {
        for page in 0...metaPages.lastPage where !isMet(page) { report(page, "in no tree and not free") }
    }

    // MARK: Pages

    func isMet(_ page: UInt64) -> Bool { met[Int(page / 64)] & (1 << (page % 64)) != 0 }

    /// Takes `page`, which `referrer` names, out of the pages not yet met.
    /// - Returns: whether it may be looked at; if not, that is reported.
    mutating func meet(_ page: UInt64, from referrer: UInt64, mustBeInFile: Bool = true) -> Bool {
        guard page >= DataFileLayout.metaPages, page <= metaPages.lastPage else {
            report(referrer, "refers to page \(page), expected 2 to \(metaPages.lastPage)")
            return false
        }
        guard !isMet(page) else {
            report(page, "used twice, the second time by page \(referrer)")
            return false
        }
        met[Int(page / 64)] |= 1 << (page % 64)
        guard page < filePages || !mustBeInFile else {
            report(page, "beyond the end of the file")
            return false
        }
        return true
    }

    /// Where `page`, which must be in the file, starts.
    func start(of page: UInt64) -> Int { Int(page) * metaPages.pageSize }

    @_lifetime(copy self)
    func bytes(of page: UInt64) -> RawSpan {
        file.extracting(start(of: page)..<start(of: page) + metaPages.pageSize)
    }
}
