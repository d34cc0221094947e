import Primitives

/// The newest state according to the meta pages, which have both passed their checks.
///
/// Transaction n writes meta page n & 1, so the other page still contains n - 1. liblmdb checks both before it opens a
/// file; afterwards it selects one by transaction id alone.
struct MetaPages {
    let pageSize: Int
    /// The index of the newer page.
    let newer: Int
    let transactionID: UInt64
    let lastPage: UInt64
    let freeList: TreeRecord
    let main: TreeRecord

    /// - Throws: the first finding.
    init(_ file: RawSpan) throws(PageWalk.Finding) {
        pageSize = try Self.pageSize(file)
        var ids: [UInt64] = []
        for index in 0..<2 {
            let page = file.extracting(index * pageSize..<(index + 1) * pageSize)
            try Self.check(page, index, pageSize: pageSize)
            ids.append(page.integer(at: DataFileLayout.Meta.transactionID))
        }
        newer = ids[0] < ids[1] ? 1 : 0
        transactionID = ids[newer]
        let older = ids[1 - newer]
        // Only an environment without any commit has the same id, 0, on both pages.
        guard transactionID == 0 || transactionID & 1 == UInt64(newer) else {
            throw PageWalk.Finding(UInt64(newer), "transaction \(transactionID) is on the wrong meta page")
        }
        guard transactionID == 0 || older == transactionID - 1 else {
            throw PageWalk.Finding(
                UInt64(1 - newer), "transaction \(older), expected \(transactionID - 1), the one before the newest")
        }

        let page = file.extracting(newer * pageSize..<(newer + 1) * pageSize)
        let number: UInt64 = page.integer(at: DataFileLayout.Page.number)
        guard number == newer else { throw .wrongNumber(number, on: UInt64(newer)) }
        lastPage = page.integer(at: DataFileLayout.Meta.lastPage)
        guard lastPage >= DataFileLayout.metaPages - 1, lastPage < DataFileLayout.noPage else {
            throw PageWalk.Finding(number, "invalid last page \(lastPage)")
        }
        freeList = TreeRecord(page, at: DataFileLayout.Meta.freeList)
        main = TreeRecord(page, at: DataFileLayout.Meta.main)
        let trees = [(freeList, "free list", DataFileLayout.Tree.integerKey), (main, "main database", 0)]
        for (tree, name, flags) in trees {
            guard tree.flags == flags else {
                throw PageWalk.Finding(number, "\(name): flags \(tree.flags), expected \(flags)")
            }
            if let fault = tree.fault(lastPage: lastPage) { throw PageWalk.Finding(number, "\(name): \(fault)") }
        }
    }

    private static func pageSize(_ file: RawSpan) throws(PageWalk.Finding) -> Int {
        guard file.byteCount >= DataFileLayout.Meta.end else {
            throw PageWalk.Finding(0, "the file has only \(file.byteCount) bytes", .notADataFile)
        }
        try checkMagic(file, 0)
        let size: UInt32 = file.integer(at: DataFileLayout.Meta.freeList + DataFileLayout.Tree.pageSize)
        guard DataFileLayout.pageSizes.contains(Int(size)), size.nonzeroBitCount == 1 else {
            throw PageWalk.Finding(0, "invalid page size \(size)")
        }
        guard file.byteCount >= 2 * Int(size) else {
            throw PageWalk.Finding(1, "the file has only \(file.byteCount) bytes", .notADataFile)
        }
        return Int(size)
    }

    private static func checkMagic(_ page: RawSpan, _ index: Int) throws(PageWalk.Finding) {
        let flags: UInt16 = page.integer(at: DataFileLayout.Page.flags)
        let magic: UInt32 = page.integer(at: DataFileLayout.Meta.magic)
        let version: UInt32 = page.integer(at: DataFileLayout.Meta.version)
        guard magic == DataFileLayout.magic else {
            throw PageWalk.Finding(UInt64(index), "not an LMDB meta page (magic number)", .notADataFile)
        }
        guard flags == DataFileLayout.Page.meta else {
            throw PageWalk.Finding(UInt64(index), "not an LMDB meta page (flags \(flags))", .notADataFile)
        }
        guard version == DataFileLayout.version else {
            throw PageWalk.Finding(
                UInt64(index), "format version \(version), expected \(DataFileLayout.version)",
                .otherVersion)
        }
    }

    private static func check(_ page: RawSpan, _ index: Int, pageSize: Int) throws(PageWalk.Finding) {
        try checkMagic(page, index)
        let size: UInt32 = page.integer(at: DataFileLayout.Meta.freeList + DataFileLayout.Tree.pageSize)
        guard size == pageSize else {
            throw PageWalk.Finding(UInt64(index), "page size \(size), expected \(pageSize)")
        }
    }
}
