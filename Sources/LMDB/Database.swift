import CLMDB
import Primitives

/// A named database of one environment: a handle that stays valid while the environment is open.
package struct Database: Hashable, Sendable {
    /// The flags of a database, fixed at creation; a later opening must pass the same.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// MDB_INTEGERKEY: every key is one `UInt64` in native byte order, and keys sort as numbers.
        package static let integerKey = Flags(rawValue: UInt32(MDB_INTEGERKEY))
    }

    /// The size of a database, as of one transaction.
    package struct Statistics: Hashable, Sendable {
        package var entries: Int
        /// The number of levels of the tree; 0 when it is empty.
        package var depth: Int
        package var branchPages: Int
        package var leafPages: Int
        package var overflowPages: Int
    }

    /// A key and its value, read in place.
    package struct Entry: ~Escapable {
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

    let handle: MDB_dbi
    package let flags: Flags

    /// liblmdb would compare keys of another size as integers too.
    @inline(__always)
    func preconditionIntegerKeys() {
        precondition(flags.contains(.integerKey), "A database of byte keys was asked for an integer key.")
    }
}
