import Primitives

/// The record of one tree (MDB_db), from a meta page or from the main database.
struct TreeRecord {
    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    init(_ bytes: RawSpan, at offset: Int) {
        flags = bytes.integer(at: offset + DataFileLayout.Tree.flags)
        let depth: UInt16 = bytes.integer(at: offset + DataFileLayout.Tree.depth)
        self.depth = Int(depth)
        branchPages = bytes.integer(at: offset + DataFileLayout.Tree.branchPages)
        leafPages = bytes.integer(at: offset + DataFileLayout.Tree.leafPages)
        overflowPages = bytes.integer(at: offset + DataFileLayout.Tree.overflowPages)
        entries = bytes.integer(at: offset + DataFileLayout.Tree.entries)
        root = bytes.integer(at: offset + DataFileLayout.Tree.root)
    }

    var isEmpty: Bool { root == DataFileLayout.noPage }

    /// Returns the first fault that is visible without reading the tree; nil when there is none.
    func fault(lastPage: UInt64) -> String? {
        if isEmpty {
            let isClear = depth == 0 && branchPages == 0 && leafPages == 0 && overflowPages == 0 && entries == 0
            return isClear ? nil : "no root page, but depth \(depth) and \(entries) entries"
        }
        guard root >= DataFileLayout.metaPages, root <= lastPage else {
            return "root page \(root), expected 2 to \(lastPage)"
        }
        guard (1...DataFileLayout.deepestTree).contains(depth) else {
            return "depth \(depth), expected 1 to \(DataFileLayout.deepestTree)"
        }
        return nil
    }
}

/// A key and its value, read in place.
package struct DataFileEntry: ~Escapable {
    package let key: RawSpan
    package let value: RawSpan

    @_lifetime(copy key, copy value)
    init(key: RawSpan, value: RawSpan) {
        self.key = key
        self.value = value
    }

    /// The key of a database of integer keys.
    package var integerKey: UInt64 { key.integer(at: 0) }
}
