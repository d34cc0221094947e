/// The check of a data file before liblmdb opens it. liblmdb trusts the file: a wrong page size or root makes it read
/// outside its map.
///
/// It always covers the meta pages, the length of the file and the main root. For a writer it also covers the whole
/// free list, which only a writer reads, and the end of every tree, where a writer appends. `PageWalk` finds deeper
/// damage.
package enum OpeningCheck {
    /// Returns the newest transaction of a file; nil when its meta pages are not sound.
    package static func newestTransaction(in file: RawSpan) -> UInt64? {
        try? MetaPages(file).transactionID
    }

    /// - Throws: the first finding.
    package static func run(_ file: RawSpan, forWriting: Bool) throws(PageWalk.Finding) {
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
        // Free pages at the end may never have been written.
        guard isShort else { return }
        for page in walker.filePages...metaPages.lastPage where !walker.isVisited(page) {
            throw PageWalk.Finding(page, "beyond the end of the file")
        }
    }
}
