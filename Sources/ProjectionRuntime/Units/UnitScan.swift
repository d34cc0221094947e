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
        var last: (position: Position, key: FactNode, ordinal: UInt32)?
        try snapshot.forEachHeader(in: range) { position, key, header in
            if last?.position != position || last?.key != key {
                if let last { meter.add(position - last.position) }
                // Consecutive facts of an event mostly have the same key.
                let ordinal = try nodes.insert(key)
                last = (position, key, ordinal)
                try references.append(Reference(position: position, key: ordinal))
            }
            guard let ordinal = last?.ordinal else { return }
            for other in [header.account, header.predecessor] {
                guard let other else { continue }
                let otherOrdinal = try nodes.insert(other)
                nodes.unite(ordinal, otherOrdinal)
            }
        }
    }
}
