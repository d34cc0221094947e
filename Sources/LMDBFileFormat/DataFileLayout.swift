import Primitives

/// The layout of a data file of LMDB 0.9 on a 64-bit machine (mdb.c: MDB_page, MDB_meta, MDB_db, MDB_node). All
/// integers are in native byte order. Offsets are relative to the start of the structure.
package enum DataFileLayout {
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    package static let metaPages: UInt64 = 2
    /// liblmdb uses the page size of the system, up to 32 KiB.
    static let pageSizes = 512...32768
    /// The root of an empty tree.
    static let noPage = UInt64.max
    /// The maximum number of levels in a cursor (CURSOR_STACK).
    static let deepestTree = 32
    static let longestKey = 511
    static let integerKeyBytes = 8

    enum Page {
        static let number = 0
        static let unused = 8
        static let flags = 10
        static let lower = 12
        static let upper = 14
        /// Replaces `lower` and `upper` on the first page of an overflow value.
        static let overflowPages = 12
        static let headerBytes = 16

        static let branch: UInt16 = 0x01
        static let leaf: UInt16 = 0x02
        static let overflow: UInt16 = 0x04
        static let meta: UInt16 = 0x08
    }

    /// Offsets from the start of the page, header included.
    enum Meta {
        static let magic = 16
        static let version = 20
        static let address = 24
        static let freeList = 40
        static let main = 88
        static let lastPage = 136
        static let transactionID = 144
        static let end = 152
    }

    /// MDB_db: the record of a tree.
    enum Tree {
        /// The page size in the free list's record; unused in the others.
        static let pageSize = 0
        static let flags = 4
        static let depth = 6
        static let branchPages = 8
        static let leafPages = 16
        static let overflowPages = 24
        static let entries = 32
        static let root = 40
        static let byteCount = 48

        static let integerKey: UInt16 = 0x08
    }

    enum Node {
        /// On a leaf, the low 16 bits of the value's length; on a branch, those of the child's page number.
        static let low = 0
        static let high = 2
        static let flags = 4
        static let keySize = 6
        static let headerBytes = 8
        static let pageNumberBytes = 8

        /// The value is stored on overflow pages; the node contains the number of the first.
        static let overflow: UInt16 = 0x01
        /// The value is the MDB_db of a named database.
        static let database: UInt16 = 0x02
    }

    /// Returns the number of overflow pages of a value (OVPAGES). Only the first has a header.
    static func overflowPages(forValueOf byteCount: Int, pageSize: Int) -> Int {
        (Page.headerBytes - 1 + byteCount) / pageSize + 1
    }
}
