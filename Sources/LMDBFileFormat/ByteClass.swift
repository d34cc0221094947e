/// The significance of a byte of a data file.
package enum ByteClass: Hashable, Sendable {
    /// liblmdb or its caller depends on it. `database` is nil for bytes outside named databases.
    case live(Live, database: String?)
    /// Nothing depends on it: a change has no effect and may stay undetected.
    case dead(Dead)

    package enum Live: Hashable, Sendable {
        /// The newer meta page, and the fields of the older one that liblmdb checks before it opens a file.
        case meta
        /// The ids of the two newest transactions. A change can make the older state appear to be the newest.
        case transactionID
        /// The record of a tree: its root, depth, flags and counts.
        case treeRecord
        case pageHeader
        /// The offset of a node on its page.
        case nodePointer
        case nodeHeader
        /// The number of a child page, or of the first overflow page of a value.
        case pageNumber
        /// A branch key that could have no other value.
        case separator
        case freePageNumber
        case key
        case value
        /// The length of a key or a value.
        case length

        /// Whether a change may leave the structure sound. The contents then differ: other keys and values, longer or
        /// shorter ones, or those of the previous transaction. The walk alone detects changes to all other live bytes.
        package var isContent: Bool {
            switch self {
            case .key, .value, .length, .transactionID: true
            default: false
            }
        }
    }

    package enum Dead: Hashable, Sendable {
        /// Free space of a page in use.
        case slack
        /// A byte that pads a node to an even length.
        case padding
        /// A field that liblmdb does not read.
        case unused
        /// A page on the free list.
        case freePage
        /// The older meta page.
        case olderMeta
        /// A byte after the last page.
        case tail
        /// A value constrained only by its neighbours, such as a separator between distant keys. Nothing depends on it
        /// while it satisfies the constraint; the walk reports a violation.
        case mayVary
        /// A byte of a damaged or unreachable page, which the walk has reported.
        case unaccounted
    }
}
