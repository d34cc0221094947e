import CLMDB
import Glibc

extension LMDBError {
    /// A return code of liblmdb: negative for its own codes, positive for `errno` values.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// The key exists already, or an appended key is not above the last one.
        package static let MDB_KEYEXIST = Code(rawValue: CLMDB.MDB_KEYEXIST)
        /// A database does not exist. (A missing key is reported as `nil`, not as an error.)
        package static let MDB_NOTFOUND = Code(rawValue: CLMDB.MDB_NOTFOUND)
        /// A page number beyond the last page: the file is damaged.
        package static let MDB_PAGE_NOTFOUND = Code(rawValue: CLMDB.MDB_PAGE_NOTFOUND)
        /// A page of the wrong kind, or a data file that fails the opening check: the file is damaged.
        package static let MDB_CORRUPTED = Code(rawValue: CLMDB.MDB_CORRUPTED)
        /// A meta page could not be written. Only reopening shows whether the commit took effect.
        package static let MDB_PANIC = Code(rawValue: CLMDB.MDB_PANIC)
        /// The file belongs to another version of LMDB.
        package static let MDB_VERSION_MISMATCH = Code(rawValue: CLMDB.MDB_VERSION_MISMATCH)
        /// The file is not an LMDB data file.
        package static let MDB_INVALID = Code(rawValue: CLMDB.MDB_INVALID)
        /// The memory map has no room left.
        package static let MDB_MAP_FULL = Code(rawValue: CLMDB.MDB_MAP_FULL)
        /// More named databases than `Environment.Options.maxDatabases`.
        package static let MDB_DBS_FULL = Code(rawValue: CLMDB.MDB_DBS_FULL)
        /// More concurrent readers than `Environment.Options.maxReaders`.
        package static let MDB_READERS_FULL = Code(rawValue: CLMDB.MDB_READERS_FULL)
        /// The transaction changed too many pages.
        package static let MDB_TXN_FULL = Code(rawValue: CLMDB.MDB_TXN_FULL)
        /// The tree is deeper than a cursor can follow: the file is damaged.
        package static let MDB_CURSOR_FULL = Code(rawValue: CLMDB.MDB_CURSOR_FULL)
        /// A page has no room where it must have some: the file is damaged.
        package static let MDB_PAGE_FULL = Code(rawValue: CLMDB.MDB_PAGE_FULL)
        /// Another process grew the file beyond this process's map.
        package static let MDB_MAP_RESIZED = Code(rawValue: CLMDB.MDB_MAP_RESIZED)
        /// The database exists with other flags than requested.
        package static let MDB_INCOMPATIBLE = Code(rawValue: CLMDB.MDB_INCOMPATIBLE)
        /// A reader's slot was used by another reader.
        package static let MDB_BAD_RSLOT = Code(rawValue: CLMDB.MDB_BAD_RSLOT)
        /// An earlier error made the transaction unusable.
        package static let MDB_BAD_TXN = Code(rawValue: CLMDB.MDB_BAD_TXN)
        /// A key of 0 or more than 511 bytes, or a value of 4 GiB or more.
        package static let MDB_BAD_VALSIZE = Code(rawValue: CLMDB.MDB_BAD_VALSIZE)
        /// The database handle was closed or opened after the transaction began.
        package static let MDB_BAD_DBI = Code(rawValue: CLMDB.MDB_BAD_DBI)

        package static let EACCES = Code(rawValue: Glibc.EACCES)
        package static let EAGAIN = Code(rawValue: Glibc.EAGAIN)
        package static let EBUSY = Code(rawValue: Glibc.EBUSY)
        package static let EDQUOT = Code(rawValue: Glibc.EDQUOT)
        package static let EFBIG = Code(rawValue: Glibc.EFBIG)
        package static let EINVAL = Code(rawValue: Glibc.EINVAL)
        /// A failed read, write or sync.
        package static let EIO = Code(rawValue: Glibc.EIO)
        package static let ENOENT = Code(rawValue: Glibc.ENOENT)
        package static let ENOMEM = Code(rawValue: Glibc.ENOMEM)
        package static let ENOSPC = Code(rawValue: Glibc.ENOSPC)
        package static let EPERM = Code(rawValue: Glibc.EPERM)
        package static let EROFS = Code(rawValue: Glibc.EROFS)
    }
}

extension LMDBError.Code: CustomStringConvertible {
    /// The name in the C headers.
    package var description: String { Self.names[self] ?? "errno \(rawValue)" }

    /// The message of liblmdb for the code.
    package var explanation: String {
        // mdb_strerror returns a string constant for its own codes and the result of strerror for others. Both are
        // valid C strings, copied here immediately.
        unsafe String(cString: mdb_strerror(rawValue))
    }

    private static let names: [Self: String] = [
        .MDB_KEYEXIST: "MDB_KEYEXIST", .MDB_NOTFOUND: "MDB_NOTFOUND", .MDB_PAGE_NOTFOUND: "MDB_PAGE_NOTFOUND",
        .MDB_CORRUPTED: "MDB_CORRUPTED", .MDB_PANIC: "MDB_PANIC", .MDB_VERSION_MISMATCH: "MDB_VERSION_MISMATCH",
        .MDB_INVALID: "MDB_INVALID", .MDB_MAP_FULL: "MDB_MAP_FULL", .MDB_DBS_FULL: "MDB_DBS_FULL",
        .MDB_READERS_FULL: "MDB_READERS_FULL", .MDB_TXN_FULL: "MDB_TXN_FULL", .MDB_CURSOR_FULL: "MDB_CURSOR_FULL",
        .MDB_PAGE_FULL: "MDB_PAGE_FULL", .MDB_MAP_RESIZED: "MDB_MAP_RESIZED", .MDB_INCOMPATIBLE: "MDB_INCOMPATIBLE",
        .MDB_BAD_RSLOT: "MDB_BAD_RSLOT", .MDB_BAD_TXN: "MDB_BAD_TXN", .MDB_BAD_VALSIZE: "MDB_BAD_VALSIZE",
        .MDB_BAD_DBI: "MDB_BAD_DBI", .EACCES: "EACCES", .EAGAIN: "EAGAIN", .EBUSY: "EBUSY", .EDQUOT: "EDQUOT",
        .EFBIG: "EFBIG", .EINVAL: "EINVAL", .EIO: "EIO", .ENOENT: "ENOENT", .ENOMEM: "ENOMEM", .ENOSPC: "ENOSPC",
        .EPERM: "EPERM", .EROFS: "EROFS",
    ]
}
