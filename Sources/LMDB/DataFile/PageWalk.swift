/// A walk over every page of a data file, without liblmdb: read-only, bounds-checked, and total on any bytes.
///
/// It holds the file to what liblmdb promises: two sound meta pages with the ids n and n - 1; every page up
/// to the last in exactly one place, be it a tree, an overflow value or the free list; every tree with the
/// depth, the order and the counts its record says. So a changed byte that liblmdb depends on is found, or it
/// is the content of a key or a value, which only the caller can judge and is shown for that purpose.
///
/// Beside a writer, hold a read transaction begun before the walk: it keeps the pages of the walked state in
/// place.
package struct PageWalk: Sendable {
    /// Something that cannot be in a sound file.
    package struct Finding: Error, Hashable, Sendable {
        /// The page on which it shows, counted from 0.
        package let page: UInt64
        package let what: String
        let code: LMDBError.Code

        init(_ page: UInt64, _ what: String, code: LMDBError.Code = .MDB_CORRUPTED) {
            self.page = page
            self.what = what
            self.code = code
        }

        static func wrongNumber(_ found: UInt64, on page: UInt64) -> Finding {
            Finding(page, "page number \(found), expected \(page)")
        }
    }

    /// What was found, at most `mostFindings`; empty when the file is sound.
    package private(set) var findings: [Finding]
    /// How many more there were.
    package private(set) var omittedFindings = 0
    /// The newest transaction of the file; nil, as the map, when the meta pages are not sound.
    package private(set) var transactionID: UInt64?
    package private(set) var map: PageMap?

    /// One damaged page near a root leaves millions without an owner; more findings than these tell nobody
    /// more.
    package static let mostFindings = 1000

    /// Walks `file`, the bytes of a whole data file.
    /// - Parameters:
    ///   - flags: the flags a database of this name must have; nil when there must be no such database.
    ///   - visit: is shown every entry of the named databases, in the order of the names and then of the
    ///     keys, with the name of its database and the number of its leaf page. Entries of a damaged page are
    ///     left out.
    /// - Complexity: O(bytes of the trees) time; a bit and 8 bytes of memory for each page of the file.
    package static func run(
        over file: RawSpan,
        flags: (_ database: String) -> Database.Flags?,
        visit: (_ entry: Database.Entry, _ database: String, _ page: UInt64) -> Void
    ) -> PageWalk {
        do throws(Finding) {
            let metaPages = try metaPages(file)
            var walker = try TreeWalker(file, metaPages, mapping: true)
            let trees = walker.mainTree()
            for (index, tree) in trees.enumerated() {
                walker.namedTree(tree, index: index, expected: flags(tree.name), visit: visit)
            }
            walker.freeList()
            walker.unaccountedPages()
            return PageWalk(walker, transactionID: metaPages.transactionID)
        } catch {
            return PageWalk(findings: [error])
        }
    }

    /// Looks twice before it finds fault, because a writer may commit twice between the looks at the two
    /// pages.
    private static func metaPages(_ file: RawSpan) throws(Finding) -> MetaPages {
        do throws(Finding) { return try MetaPages(file) } catch { return try MetaPages(file) }
    }

    private init(findings: [Finding]) { self.findings = findings }

    private init(_ walker: borrowing TreeWalker, transactionID: UInt64) {
        findings = walker.findings
        omittedFindings = walker.omittedFindings
        self.transactionID = transactionID
        map = walker.map
    }
}
