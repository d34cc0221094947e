import Primitives

/// The kind of keys and values in a tree.
enum TreeKind: Sendable {
    /// Transaction ids and the pages that each of them freed.
    case freeList
    /// Names and records of databases.
    case main
    case byteKeys
    case integerKeys

    var hasIntegerKeys: Bool { self == .freeList || self == .integerKeys }

    var keySizes: ClosedRange<Int> {
        hasIntegerKeys
            ? DataFileLayout.integerKeyBytes...DataFileLayout.integerKeyBytes : 1...DataFileLayout.longestKey
    }
}

/// A branch or leaf page. Its nodes are safe to read only after `fault` has returned nil.
struct TreePage: ~Escapable {
    /// An entry of a page. Offsets are relative to the page's start.
    struct Node {
        let offset: Int
        let low: UInt16
        let high: UInt16
        let flags: UInt16
        let keySize: Int

        var key: Range<Int> {
            offset + DataFileLayout.Node.headerBytes..<offset + DataFileLayout.Node.headerBytes + keySize
        }
        /// On a branch page: the child page.
        var child: UInt64 { UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32 }
        /// On a leaf page: the length of the value.
        var valueSize: Int { Int(low) | Int(high) << 16 }
        /// On a leaf page: whether the value is stored on overflow pages.
        var isOverflow: Bool { flags & DataFileLayout.Node.overflow != 0 }
        /// On a leaf page: the value, or the number of its first overflow page.
        var data: Range<Int> {
            key.upperBound..<key.upperBound + (isOverflow ? DataFileLayout.Node.pageNumberBytes : valueSize)
        }

        func end(onLeaf: Bool) -> Int { onLeaf ? data.upperBound : key.upperBound }

        /// Returns the start of the next node: nodes start at even offsets.
        func next(onLeaf: Bool) -> Int { end(onLeaf: onLeaf) + (end(onLeaf: onLeaf) & 1) }
    }

    let bytes: RawSpan

    /// `bytes` must be a whole page.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    var number: UInt64 { bytes.integer(at: DataFileLayout.Page.number) }
    var flags: UInt16 { bytes.integer(at: DataFileLayout.Page.flags) }
    /// The end of the node pointers, which start after the header.
    var lower: Int { Int(bytes.integer(at: DataFileLayout.Page.lower) as UInt16) }
    /// The start of the nodes, which reach to the end of the page.
    var upper: Int { Int(bytes.integer(at: DataFileLayout.Page.upper) as UInt16) }
    var count: Int { (lower - DataFileLayout.Page.headerBytes) / 2 }

    func node(_ index: Int) -> Node {
        node(at: Int(bytes.integer(at: DataFileLayout.Page.headerBytes + 2 * index) as UInt16))
    }

    private func node(at offset: Int) -> Node {
        Node(
            offset: offset,
            low: bytes.integer(at: offset + DataFileLayout.Node.low),
            high: bytes.integer(at: offset + DataFileLayout.Node.high),
            flags: bytes.integer(at: offset + DataFileLayout.Node.flags),
            keySize: Int(bytes.integer(at: offset + DataFileLayout.Node.keySize) as UInt16))
    }

    /// Returns the first fault of the page taken by itself. `starts` is scratch space that the caller owns.
    func fault(number expected: UInt64, isLeaf: Bool, kind: TreeKind, starts: inout NodeStarts) -> String? {
        guard number == expected else { return PageWalk.Finding.wrongNumber(number, on: expected).what }
        let kindFlag = isLeaf ? DataFileLayout.Page.leaf : DataFileLayout.Page.branch
        guard flags == kindFlag else { return "flags \(flags), expected \(kindFlag)" }
        guard lower >= DataFileLayout.Page.headerBytes, lower & 1 == 0, lower <= upper, upper <= bytes.byteCount else {
            return "invalid free space from \(lower) to \(upper)"
        }
        // liblmdb may leave a branch of the free list with one child while it takes pages from the list's own tree.
        guard count >= (isLeaf || kind == .freeList ? 1 : 2) else { return "only \(count) entries" }
        starts.clear()
        var total = 0
        for index in 0..<count {
            let offset = Int(bytes.integer(at: DataFileLayout.Page.headerBytes + 2 * index) as UInt16)
            guard offset & 1 == 0, offset >= upper, offset + DataFileLayout.Node.headerBytes <= bytes.byteCount else {
                return "entry \(index): invalid pointer \(offset)"
            }
            let node = node(at: offset)
            let next = node.next(onLeaf: isLeaf)
            guard next <= bytes.byteCount else { return "entry \(index) extends beyond the page" }
            guard starts.insert(offset) else { return "entry \(index): duplicate pointer \(offset)" }
            total += next - offset
            if let fault = nodeFault(node, index, isLeaf: isLeaf, kind: kind) { return "entry \(index): \(fault)" }
        }
        return layoutFault(total: total, isLeaf: isLeaf, starts: starts)
    }

    private func nodeFault(_ node: Node, _ index: Int, isLeaf: Bool, kind: TreeKind) -> String? {
        // The first child of a branch page needs no key: all its keys are below the second key.
        let keySizes = isLeaf || index > 0 ? kind.keySizes : 0...0
        guard keySizes.contains(node.keySize) else {
            return "key of \(node.keySize) bytes, expected \(keySizes.lowerBound) to \(keySizes.upperBound)"
        }
        guard isLeaf else { return nil }
        if kind == .main {
            guard node.flags == DataFileLayout.Node.database, node.valueSize == DataFileLayout.Tree.byteCount else {
                return "flags \(node.flags) and \(node.valueSize) bytes, expected a database"
            }
        } else {
            guard node.flags & ~DataFileLayout.Node.overflow == 0 else { return "flags \(node.flags)" }
        }
        return nil
    }

    /// liblmdb packs the nodes of a page without gaps, so they must tile the space from `upper` to the page's end. They
    /// do if they have distinct starts, one of which is `upper`, if each ends at another's start or at the page's end,
    /// and if their lengths add up. A chain of nodes from `upper` then covers the space once, which leaves no length
    /// for a node outside the chain.
    private func layoutFault(total: Int, isLeaf: Bool, starts: borrowing NodeStarts) -> String? {
        guard total == bytes.byteCount - upper, starts.contains(upper) else {
            return "entries of \(total) bytes, expected \(bytes.byteCount - upper)"
        }
        for index in 0..<count {
            let next = node(index).next(onLeaf: isLeaf)
            guard next == bytes.byteCount || starts.contains(next) else {
                return "entry \(index): no entry follows at \(next)"
            }
        }
        return nil
    }
}

/// A set of even offsets in a page.
struct NodeStarts {
    private var bits: [UInt64]

    init(pageSize: Int) { bits = Array(repeating: 0, count: (pageSize + 127) / 128) }

    mutating func clear() {
        for index in bits.indices { bits[index] = 0 }
    }

    /// Inserts an offset. Returns whether it is new.
    mutating func insert(_ offset: Int) -> Bool {
        let bit: UInt64 = 1 << (offset / 2 % 64)
        let isNew = bits[offset / 128] & bit == 0
        bits[offset / 128] |= bit
        return isNew
    }

    func contains(_ offset: Int) -> Bool {
        offset / 128 < bits.count && bits[offset / 128] & (1 << (offset / 2 % 64)) != 0
    }
}
