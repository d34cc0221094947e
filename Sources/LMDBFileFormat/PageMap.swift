import Primitives

/// The use of every page of a data file, and derived from it the class of every byte.
///
/// It is valid only for the bytes that were walked.
package struct PageMap: Sendable {
    /// The tree that a page belongs to.
    enum Owner: Hashable {
        case freeList
        case main
        case database(Int)
    }

    enum Use: UInt8 {
        case unaccounted, branch, leaf, firstOverflow, furtherOverflow, free
    }

    /// The use of one page. It takes eight bytes, because the map has one per page of the file.
    struct Page {
        var use = Use.unaccounted
        /// On a branch page: whether a separator could have another value.
        var separatorsMayVary = false
        /// On an overflow page: the end of the value.
        var valueEnd: UInt16 = 0
        /// 0 for the free list, 1 for the main database, higher values for the named databases.
        var owner: UInt32 = 0
    }

    let pageSize: Int
    let newerMeta: Int
    let lastPage: UInt64
    /// Whether nothing has been committed yet.
    let isFresh: Bool
    var databases: [(name: String, kind: TreeKind)] = []
    private(set) var pages: [Page]

    init(_ metaPages: MetaPages, filePages: Int) {
        pageSize = metaPages.pageSize
        newerMeta = metaPages.newer
        lastPage = metaPages.lastPage
        isFresh = metaPages.transactionID == 0
        pages = Array(repeating: Page(), count: filePages)
    }

    mutating func set(_ number: UInt64, _ use: Use, _ owner: Owner) {
        // A free page may be beyond the end of the file.
        guard number < pages.count else { return }
        pages[Int(number)].use = use
        pages[Int(number)].owner = owner.index
    }

    mutating func setOverflow(_ run: Range<UInt64>, valueBytes: Int, _ owner: Owner) {
        let end = DataFileLayout.Page.headerBytes + valueBytes
        for number in run {
            let start = Int(number - run.lowerBound) * pageSize
            set(number, number == run.lowerBound ? .firstOverflow : .furtherOverflow, owner)
            // The page size is at most 32 KiB, so it fits.
            pages[Int(number)].valueEnd = UInt16(min(max(end - start, 0), pageSize))
        }
    }

    mutating func setSeparatorsMayVary(on number: UInt64) {
        pages[Int(number)].separatorsMayVary = true
    }

    /// The name of the database a page belongs to; nil for the free list and the main database.
    func name(of page: Page) -> String? {
        page.owner < 2 ? nil : databases[Int(page.owner) - 2].name
    }

    func kind(of page: Page) -> TreeKind {
        switch page.owner {
        case 0: .freeList
        case 1: .main
        default: databases[Int(page.owner) - 2].kind
        }
    }
}

extension PageMap.Owner {
    var index: UInt32 {
        switch self {
        case .freeList: 0
        case .main: 1
        // No realistic file has 2^32 databases, so the value is never clamped in practice.
        case .database(let index): UInt32(clamping: index + 2)
        }
    }
}
