import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `A timeline` {
    @Test func `is ordered by time, then rank, then digest`() {
        let early = transaction("9", 0, 30, signed: 1)
        let late = transaction("8", 0, 30, signed: 2, rank: .notificationV1)
        let receipt = transaction("7", 0, 30, signed: 2, rank: .receiptFile)
        let twins = [transaction("6", 0, 30, signed: 2), transaction("5", 0, 30, signed: 2)].sorted {
            $0.source.name.digest < $1.source.name.digest
        }
        let timeline = Timeline([twins[1], receipt, late, twins[0], early])
        #expect(timeline.observations == [early, late, receipt, twins[0], twins[1]])
    }

    @Test func `orders paths of one digest by their bytes`() {
        let digest = Digest.sha256(of: "receipt".utf8)
        let names = ["in_app/10", "in_app/2", "é", "z"].map { ObservationName(digest: digest, path: $0) }
        #expect(names.sorted().map(\.path) == ["in_app/10", "in_app/2", "z", "é"])
    }

    @Test func `holds an observation once, at the smallest position that carries it`() {
        let third = transaction("1", 0, 30, position: 3)
        let first = transaction("1", 0, 30, position: 1)
        #expect(Timeline([third, first, third]).observations == [first])
        #expect(Timeline([third]).union(Timeline([first])).observations == [first])
    }

    @Test func `knows at a size what any event below it carries`() {
        let later = transaction("1", 0, 30, position: 3)
        let earlier = transaction("1", 0, 30, position: 1)
        let timeline = Timeline([later, earlier, transaction("2", 30, 60, position: 2)])
        #expect(timeline.known(at: 1).observations.isEmpty)
        #expect(timeline.known(at: 2).observations == [earlier])
        #expect(timeline.known(at: 3).observations.count == 2)
    }

    @Test func `is the same set however it is ordered, repeated, split and merged`() {
        var generator = SeededRandom()
        for _ in 0..<300 {
            let observations = generator.observations()
            let whole = Timeline(observations)
            let parts = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                observations.filter { _ in generator.chance(50) }.shuffled(using: &generator)
            }
            let covering = parts + [observations.shuffled(using: &generator)]
            let merged = covering.shuffled(using: &generator).map { Timeline($0) }.reduce(Timeline()) { $0.union($1) }
            let nested = covering.map { Timeline($0) }.reduce(Timeline()) { $1.union($0.union($1)) }
            #expect(merged == whole, "seed \(SeededRandom.seed)")
            #expect(nested == whole, "seed \(SeededRandom.seed)")
        }
    }

    @Test func `known at a size is the timeline of the first events`() {
        var generator = SeededRandom()
        for _ in 0..<300 {
            let observations = generator.observations()
            let whole = Timeline(observations)
            for size in Position(0)...12 {
                let first = Timeline(observations.filter { $0.source.position < size })
                #expect(whole.known(at: size) == first, "seed \(SeededRandom.seed)")
            }
        }
    }

    @Test func `folds to the same whatever positions and recorded times its observations have`() {
        var generator = SeededRandom()
        for _ in 0..<300 {
            let observations = generator.observations()
            let moved = observations.map { $0.moved(to: Position.random(in: 0..<100, using: &generator)) }
            let stripped = [observations, moved].map { $0.map { $0.moved(to: 0) } }
            #expect(fold(stripped[0]) == fold(stripped[1].shuffled(using: &generator)))
            #expect(fold(observations).periods.map(\.text) == fold(moved).periods.map(\.text))
        }
    }
}

extension Observation {
    fileprivate func moved(to position: Position) -> Observation {
        let source = Source(
            name: source.name, time: source.time, rank: source.rank, position: position,
            recordedAt: Instant(milliseconds: Int64(position)))
        return Observation(source: source, fact: fact)
    }
}

extension SeededRandom {
    /// Up to twelve observations with few distinct values, so that names, dates and identities coincide.
    mutating func observations() -> [Observation] {
        (0..<Int.random(in: 0...12, using: &self)).map { _ in
            let signed = Int.random(in: -2...8, using: &self) * 10
            let position = Position.random(in: 0..<12, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0:
                return renewalInfo(
                    signed: signed, renewalDate: Int.random(in: 0...8, using: &self) * 10, position: position)
            case 1:
                let types: [NotificationType] = [.refundReversed, .expired, .didRenew]
                let carried = transaction("1", 0, 30, signed: 0)
                return notification(
                    pick(types), signed: signed, status: pick([nil, .expired, .revoked]), carrying: carried,
                    position: position)
            default:
                let start = Int.random(in: 0...5, using: &self) * 10
                let end = start + Int.random(in: 1...3, using: &self) * 10
                let revoked = chance(20)
                let (upgraded, reason) = (chance(10), pick([TransactionReason.renewal, .purchase]))
                return transaction(pick(["1", "2", "3"]), start, end, signed: signed, position: position) { fact in
                    if revoked { fact.revocation = .init(revocationDate: minute(start + 5)) }
                    fact.isUpgraded = upgraded
                    fact.transactionReason = reason
                }
            }
        }
    }
}
