import LedgerModel
import LedgerStorage

/// Union-find over the nodes of facts (Tarjan 1975), with path halving and union by size. Nodes have 32-bit ordinals in
/// the order of insertion.
struct NodeSets: Sendable {
    private let space: ScratchSpace
    private var nodes: ScratchList<FactNode>
    private var parents: ScratchList<UInt32>
    private var sizes: ScratchList<UInt32>
    /// Ordinals plus 1 by hash, with linear probing; at most half of the slots are used.
    private var slots: ScratchArray<UInt32>

    init(in space: ScratchSpace) throws(StorageError) {
        self.space = space
        nodes = try ScratchList(in: space)
        parents = try ScratchList(in: space)
        sizes = try ScratchList(in: space)
        slots = try space.array(count: 16_384)
    }

    var count: Int { nodes.count }

    /// Returns the ordinal of a node; nil for an unknown one.
    func ordinal(of node: FactNode) -> UInt32? {
        let slot = slots[slot(of: node)]
        return slot == 0 ? nil : slot - 1
    }

    /// Returns the ordinal of a node, which is inserted if it is new.
    /// - Parameter guess: an ordinal that the node may have.
    mutating func insert(_ node: FactNode, guess: UInt32 = .max) throws(StorageError) -> UInt32 {
        if guess < nodes.count, nodes[Int(guess)] == node { return guess }
        let slot = slot(of: node)
        if slots[slot] != 0 { return slots[slot] - 1 }
        guard nodes.count < UInt32.max - 1 else {
            throw StorageError(
                .versionUnknown, "too many subscriptions for this version",
                expected: "fewer than 2^32 keys and accounts",
                found: "more")
        }
        let ordinal = UInt32(nodes.count)
        try nodes.append(node)
        try parents.append(ordinal)
        try sizes.append(1)
        slots[slot] = ordinal + 1
        if 2 * nodes.count > slots.count { try grow() }
        return ordinal
    }

    /// Inserts the nodes of other sets, and unites those that are united there.
    /// - Returns: the ordinal here of each node there.
    mutating func insertAll(of other: NodeSets, in space: ScratchSpace) throws(StorageError) -> ScratchArray<UInt32> {
        let ordinals: ScratchArray<UInt32> = try space.array(count: other.count)
        for ordinal in 0..<other.count { ordinals[ordinal] = try insert(other.nodes[ordinal]) }
        for ordinal in 0..<other.count {
            let root = other.root(of: UInt32(ordinal))
            if root != UInt32(ordinal) { unite(ordinals[ordinal], ordinals[Int(root)]) }
        }
        return ordinals
    }

    /// Returns the slot of a node, or the empty one where it belongs.
    private func slot(of node: FactNode) -> Int {
        let mask = slots.count - 1
        // Fibonacci hashing: the ids of one app are nearly consecutive.
        var hash = (node.id ^ (node.scope &* 0xBF58_476D_1CE4_E5B9)) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0, nodes[Int(slots[slot] - 1)] != node { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() throws(StorageError) {
        slots = try space.array(count: 2 * slots.count)
        for ordinal in 0..<nodes.count { slots[slot(of: nodes[ordinal])] = UInt32(ordinal) + 1 }
    }

    /// Returns the root of a set. Shortens paths, so one thread at a time may call it.
    func root(of ordinal: UInt32) -> UInt32 {
        var ordinal = Int(ordinal)
        while parents[ordinal] != UInt32(ordinal) {
            parents[ordinal] = parents[Int(parents[ordinal])]
            ordinal = Int(parents[ordinal])
        }
        return UInt32(ordinal)
    }

    mutating func unite(_ left: UInt32, _ right: UInt32) {
        var (large, small) = (Int(root(of: left)), Int(root(of: right)))
        guard large != small else { return }
        if sizes[large] < sizes[small] { swap(&large, &small) }
        parents[small] = UInt32(large)
        sizes[large] += sizes[small]
    }
}
