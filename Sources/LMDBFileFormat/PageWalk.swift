/// A walk over every page of a data file, without liblmdb: read-only, bounds-checked, and total on any bytes.
///
/// It checks the guarantees of liblmdb: two sound meta pages with the ids n and n - 1; every page up to the last in
/// exactly one place, be it a tree, an overflow value or the free list; every tree with the depth, the order and the
/// counts of its record. A change to a byte that liblmdb depends on is therefore found, unless it affects the contents
/// of a key or a value. Only the caller can judge these; `visit` receives them for this purpose.
///
/// With a concurrent writer, keep a read transaction open that began before the walk: it protects the pages of the
/// walked state.
package struct PageWalk: Sendable {
    /// An inconsistency that a sound file cannot have.
    package struct Finding: Error, Hashable, Sendable {
        package enum Kind: Sendable { case notADataFile, otherVersion, damaged }

        /// The number of the affected page, counted from 0.
        package let page: UInt64
        package let what: String
        package let kind: Kind

        init(_ page: UInt64, _ what: String, _ kind: Kind = .damaged) {
            self.page = page
            self.what = what
            self.kind = kind
        }

        static func wrongNumber(_ found: UInt64, on page: UInt64) -> Finding {
            Finding(page, "page number \(found), expected \(page)")
        }
    }

    /// The findings, at most `mostFindings`; empty when the file is sound.
    package private(set) var findings: [Finding]
    /// The number of findings beyond `mostFindings`.
    package private(set) var omittedFindings = 0
    /// The newest transaction of the file; nil, like the map, when the meta pages are not sound.
    package private(set) var transactionID: UInt64?
    package private(set) var map: PageMap?

    /// One damaged page near a root leaves millions of pages unreachable; more findings than these add nothing.
    package static let mostFindings = 1000

    /// Walks `file`, the bytes of a whole data file.
    /// - Parameters:
    ///   - flags: the flags that a database of this name must have, such as MDB_INTEGERKEY; nil when there must be no
    ///     such database.
    ///   - visit: receives every entry of the named databases, ordered by database name and key, with the name of its
    ///     database and the number of its leaf page. Entries of a damaged page are omitted.
    /// - Complexity: O(bytes of the trees) time; 8 bytes and one bit of memory per page of the file.
    package static func run(
        over file: RawSpan,
        flags: (_ database: String) -> UInt32?,
        visit: (_ entry: DataFileEntry, _ database: String, _ page: UInt64) -> Void
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

    /// Reads the meta pages, a second time after a fault: a writer may commit twice between the reads of the two pages.
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
