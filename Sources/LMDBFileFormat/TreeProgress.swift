import Primitives

/// A tree during its walk: the counts so far, and the bound for the next key.
struct TreeProgress {
    /// A lower bound for the next key, stored as the range of a key in the file.
    enum Bound {
        case none
        /// The previous key, exclusive.
        case above(Range<Int>)
        /// The separator before the subtree, inclusive.
        case atLeast(Range<Int>)
    }

    /// A separator whose right neighbour has not been reached yet.
    struct Separator {
        let page: UInt64
        /// The left neighbour, if it is an integer.
        let previous: UInt64?
    }

    let kind: TreeKind
    let name: String
    let owner: PageMap.Owner
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
    var bound = Bound.none
    var separator: Separator?

    init(kind: TreeKind, name: String, owner: PageMap.Owner) {
        self.kind = kind
        self.name = name
        self.owner = owner
    }

    /// Returns the first difference from the record; nil when there is none.
    func difference(from record: TreeRecord) -> String? {
        for (what, expected, found) in [
            ("branch pages", record.branchPages, branchPages), ("leaf pages", record.leafPages, leafPages),
            ("overflow pages", record.overflowPages, overflowPages), ("entries", record.entries, entries),
        ] where expected != found {
            return "\(name): \(found) \(what), expected \(expected)"
        }
        return nil
    }
}
