/// What a byte of a data file is good for.
package enum ByteClass: Hashable, Sendable {
    /// liblmdb or its caller depends on it. `database` is nil for what belongs to no named database.
    case live(Live, database: String?)
    /// Nothing depends on it: it may change unseen and unharmful.
    case dead(Dead)

    package enum Live: Hashable, Sendable {
        /// The newer meta page; of the older one what liblmdb asks for before it opens a file.
        case meta
        /// The ids of the two newest transactions. A change can make the older state look like the newest.
        case transactionID
        /// What is known of a tree: its root, depth, flags and counts.
        case treeRecord
        case pageHeader
        /// Where on its page a node is.
        case nodePointer
        case nodeHeader
        /// The number of the page below, or of the first overflow page of a value.
        case pageNumber
        /// The key of a branch that could have no other value.
        case separator
        case freePageNumber
        case key
        case value
        /// The length of a key or a value.
        case length

        /// A change to it is not always a fault of the structure, but then other contents are read: keys and
        /// values that are others, longer or shorter, or those of the transaction before. All other changes
        /// are found by the walk alone.
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
        /// A byte that rounds a node to an even length.
        case padding
        /// A field that liblmdb does not read.
        case unused
        /// A page on the free list.
        case freePage
        /// The older meta page.
        case olderMeta
        /// Behind the last page.
        case tail
        /// A value that only has to stay between others, as a separator between two keys that are far apart.
        /// As long as it does, nothing depends on it; when it does not, that is found.
        case mayVary
        /// On a page that is damaged, or to which nothing leads; the walk has reported it.
        case unaccounted
    }
}
