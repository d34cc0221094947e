import FactStore
import LedgerModel
import Primitives

/// The nodes of a range of events and the position of each event of a key, as one thread finds them.
struct UnitScan: Sendable {
    /// An event with facts of a key.
    struct Reference: BitwiseCopyable {
        let position: Position
        /// The ordinal of the key in `nodes`.
        let key: UInt32
    }

    private(set) var nodes: NodeSets
    private(set) var references: ScratchList<Reference>

    init(
        of snapshot: FactSnapshot, _ range: Range<Position>, in space: ScratchSpace, _ meter: RebuildMeter
    ) throws {
        nodes = try NodeSets(in: space)
        references = try ScratchList(in: space)
        var last: Last?
        try snapshot.forEachHeader(in: range) { position, key, header in
            var current = Last(position: position, key: key, ordinal: 0)
            if let last, last.position == position, last.key == key {
                current = last
            } else {
                if let last { meter.add(position - last.position) }
                current.ordinal = try nodes.insert(key)
                try references.append(Reference(position: position, key: current.ordinal))
            }
            if let account = header.account, account != current.account {
                try unite(current.ordinal, account)
                current.account = account
            }
            if let predecessor = header.predecessor { try unite(current.ordinal, predecessor) }
            if let companion = header.companion { try unite(current.ordinal, companion) }
            last = current
        }
    }

    private mutating func unite(_ key: UInt32, _ other: FactNode) throws {
        // The first fact of a key mostly states its account, which therefore has the next ordinal.
        let ordinal = try nodes.insert(other, guess: key + 1)
        nodes.unite(key, ordinal)
    }
}

/// The newest fact. Consecutive facts of an event mostly have the same key and account.
private struct Last {
    let position: Position
    let key: FactNode
    var ordinal: UInt32
    var account: FactNode?
}
