import CMS
import EventLog
import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

/// The checkpoint of a bundle, and its anchors.
struct BundleExtent {
    let head: TreeHead
    /// The newest anchor of each year, and the first that covers all events of the bundle.
    private(set) var anchors: [(anchor: StoredAnchor, timeStamp: TimeStamp)] = []
    private(set) var authorities = TimeStampAuthorities()
    private let mayGrow: Bool

    /// - Parameter sample: of a cell; the root then decides which members are taken, so it is fixed here.
    init(of question: BundleQuestion, in ledger: LedgerReader, _ sample: Int?) throws {
        var size = question.knownAt
        if case .close(let position, _, _) = question.subject { size = max(size, position + 1) }
        mayGrow = sample == nil
        let found = try Self.verifiedAnchors(of: ledger)
        authorities = found.authorities
        if mayGrow {
            head = try ledger.log.head(ofFirst: size)
            anchors = found.anchors
        } else {
            let first = found.anchors.first { $0.anchor.size >= size }
            head = try Self.head(atLeast: max(size, first?.anchor.size ?? 0), in: ledger)
            anchors = Self.selected(found.anchors, covering: size, head.size)
        }
    }

    private init(_ head: TreeHead, _ anchors: [(anchor: StoredAnchor, timeStamp: TimeStamp)], _ other: BundleExtent) {
        (self.head, self.anchors, authorities, mayGrow) = (head, anchors, other.authorities, false)
    }

    /// Returns the extent for the events at some positions.
    func covering(_ positions: [Position], in ledger: LedgerReader) throws -> BundleExtent {
        guard mayGrow else { return self }
        let end = (positions.last ?? 0) + 1
        let first = anchors.first { $0.anchor.size >= end }
        let head = try Self.head(atLeast: max(head.size, end, first?.anchor.size ?? 0), in: ledger)
        return BundleExtent(head, Self.selected(anchors, covering: end, head.size), self)
    }

    /// Returns the head of the first cosigned checkpoint of at least a size, else that of the size.
    private static func head(atLeast size: Position, in ledger: LedgerReader) throws -> TreeHead {
        let cosigned = try CosignatureFolder(ledger.configuration.folder).sizes()
        let end = try ledger.log.size()
        return try ledger.log.head(ofFirst: cosigned.first { (size...max(size, end)).contains($0) } ?? size)
    }

    private static func verifiedAnchors(
        of ledger: LedgerReader
    ) throws -> (anchors: [(anchor: StoredAnchor, timeStamp: TimeStamp)], authorities: TimeStampAuthorities) {
        let (stored, authorities) = try AnchorFolder(ledger.configuration.folder).contents()
        let end = try ledger.log.size()
        let anchors = stored.compactMap { anchor -> (anchor: StoredAnchor, timeStamp: TimeStamp)? in
            guard anchor.size <= end, let timeStamp = try? anchor.timeStamp(under: authorities) else { return nil }
            return (anchor, timeStamp)
        }
        return (anchors, authorities)
    }

    private static func selected(
        _ anchors: [(anchor: StoredAnchor, timeStamp: TimeStamp)], covering end: Position, _ size: Position
    ) -> [(anchor: StoredAnchor, timeStamp: TimeStamp)] {
        let within = anchors.filter { $0.anchor.size <= size }
        var chosen: [Int64: Position] = [:]
        for (anchor, timeStamp) in within {
            let year = CivilDate(of: timeStamp.genTime).year
            chosen[Int64(year)] = max(chosen[Int64(year)] ?? 0, anchor.size)
        }
        let first = within.first { $0.anchor.size >= end }?.anchor.size
        return within.filter { chosen.values.contains($0.anchor.size) || $0.anchor.size == first }
    }
}
