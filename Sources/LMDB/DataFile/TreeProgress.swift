/// A tree while it is being followed: what was found so far, and what the next key must be above.
struct TreeProgress {
    /// A bound for the next key, which is given by its place in the file.
    enum Bound {
        case none
        /// The key before it.
        case above(Range<Int>)
        /// The separator in front of its subtree.
        case atLeast(Range<Int>)
    }

    /// A separator whose right neighbour has not been met yet.
    struct Separator {
        let page: UInt64
        /// Its left neighbour, if that is an integer.
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

    /// What its record says otherwise.
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
