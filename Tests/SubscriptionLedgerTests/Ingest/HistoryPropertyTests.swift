import AppStoreModel
import AppStoreSimulation
import EventLog
import FactStore
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import SubscriptionStatus
import Testing

/// The order, number and grouping of deliveries change nothing.
@Suite struct `Simulated histories in a ledger` {
    private static let simulated = SimulatedHistory.first

    /// The answers of a ledger without positions and recorded times: timelines, states, histories.
    private struct Answers: Equatable {
        var timelines: [String]
        var states: [String]
        var histories: [String]

        init(_ ledger: LedgerWriter, at instants: [Instant]) throws {
            let ids = `Simulated histories in a ledger`.simulated.originalTransactionIds
            var all: [SubscriptionKey: Timeline] = [:]
            for id in ids {
                for key in try ledger.reader.facts.keys(ofOriginalTransactionId: id) {
                    all.merge(try ledger.reader.facts.timelines(around: key, knownAt: .max)) { $0.union($1) }
                }
            }
            timelines = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.apartFromPositions)" }
            (states, histories) = ([], [])
            for (number, id) in ids.enumerated() {
                let selector = SubscriptionSelector(originalTransactionId: id)
                let instant = instants[number % instants.count]
                for asOf in [instant, .latest] {
                    states.append(try Self.text(ledger.reader.state(of: selector, AsOfQuery(asOf: asOf))?.json))
                }
                histories.append(
                    try Self.text(ledger.reader.history(of: selector, AsOfQuery(asOf: .latest), explained: true)?.json))
            }
        }

        private static func text(_ answer: JSONValue?) -> String {
            answer?.apartFromPositions ?? "subscription_unknown"
        }

        /// The first difference, for the report.
        func difference(from other: Answers) -> String? {
            for (name, (one, another)) in [
                ("timeline", (timelines, other.timelines)), ("state", (states, other.states)),
                ("history", (histories, other.histories)),
            ] {
                guard one != another else { continue }
                let pair = zip(one, another).first { $0 != $1 }
                return "\(name) \(pair?.0 ?? "missing")\ninstead of \(pair?.1 ?? "missing")"
            }
            return nil
        }
    }

    private func ledger(_ artifacts: [[UInt8]]) async throws -> ScratchLedger {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(artifacts)
        return scratch
    }

    @Test(arguments: SimulatedHistory.seeds)
    func `show every kind of change`(seed: UInt64) {
        let history = SimulatedHistory.unsigned(seed)
        let counts = history.counts.sorted { $0.key.rawValue < $1.key.rawValue }
        let text = counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("seed \(seed): \(history.artifacts.count) artifacts; \(text)")
        #expect(counts.count >= 8)
        #expect(counts.filter { $0.value == 0 }.isEmpty, "seed \(seed)")
    }

    @Test func `are the same in every order, however often, in parts, and with their parts alone`() async throws {
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        let instants = Self.simulated.instants(50, &generator)
        let jws = Self.simulated.jws
        let inOrder = try await ledger(jws)
        #expect(try inOrder.size == UInt64(jws.count))
        let expected = try Answers(inOrder.ledger, at: instants)
        #expect(!expected.states.contains("subscription_unknown"))

        for round in 0..<(TestEnvironment.isLong ? 8 : 2) {
            let comment: Comment = "seed \(TestEnvironment.seed), round \(round)"
            // A third of them three times.
            let again = jws.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
            let permuted = try await ledger((jws + again + again).shuffled(using: &generator))
            #expect(try permuted.size == UInt64(jws.count), comment)
            let difference = try Answers(permuted.ledger, at: instants).difference(from: expected)
            #expect(difference == nil, comment)

            // Also the parts of the notifications by themselves, in random order; a third of them never.
            let parts = Self.simulated.artifacts.flatMap(\.parts).filter { _ in generator.next() % 3 > 0 }
            let doubled = try await ledger((jws + parts).shuffled(using: &generator))
            #expect(try doubled.size > UInt64(jws.count), comment)
            let doubledDifference = try Answers(doubled.ledger, at: instants).difference(from: expected)
            #expect(doubledDifference == nil, comment)

            // Delivered in overlapping shares to separate ledgers, then merged from the evidence of those ledgers.
            var shares: [[[UInt8]]] = [[], [], []]
            for artifact in jws.shuffled(using: &generator) {
                let share = Int.random(in: 0..<3, using: &generator)
                shares[share].append(artifact)
                if Int.random(in: 0..<5, using: &generator) == 0 { shares[(share + 1) % 3].append(artifact) }
            }
            var (evidence, timelines): ([[UInt8]], [SubscriptionKey: Timeline]) = ([], [:])
            for share in shares {
                let part = try await ledger(share)
                evidence += try part.evidence()
                for id in Self.simulated.originalTransactionIds {
                    for key in try part.ledger.reader.facts.keys(ofOriginalTransactionId: id) {
                        timelines.merge(try part.ledger.reader.facts.timelines(around: key, knownAt: .max)) {
                            $0.union($1)
                        }
                    }
                }
            }
            let merged = try await ledger(evidence)
            #expect(try merged.size == UInt64(jws.count), comment)
            let mergedDifference = try Answers(merged.ledger, at: instants).difference(from: expected)
            #expect(mergedDifference == nil, comment)
            // Merging the timelines is equivalent to merging the ledgers.
            let united = timelines.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.apartFromPositions)" }
            let isUnited = united == expected.timelines
            #expect(isUnited, comment)
        }
    }

    @Test func `known at a size are a ledger that stopped there`() async throws {
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        let instants = Self.simulated.instants(20, &generator)
        let order = Self.simulated.jws.shuffled(using: &generator)
        let whole = try await ledger(order)
        let growing = try ScratchLedger(trust: SimulatedHistory.trust)
        var size = 0
        for _ in 0..<4 {
            let next = Int.random(in: size...order.count, using: &generator)
            try await growing.ingestInBulk(Array(order[size..<next]))
            size = next
            for id in Self.simulated.originalTransactionIds.shuffled(using: &generator).prefix(20) {
                let selector = SubscriptionSelector(originalTransactionId: id)
                let asOf = instants[Int.random(in: instants.indices, using: &generator)]
                let known = AsOfQuery(asOf: asOf, knownAt: .size(UInt64(size)))
                let pairs = [
                    (
                        try whole.ledger.reader.state(of: selector, known)?.json,
                        try growing.ledger.reader.state(of: selector, AsOfQuery(asOf: asOf))?.json
                    ),
                    (
                        try whole.ledger.reader.history(of: selector, known)?.json,
                        try growing.ledger.reader.history(of: selector, AsOfQuery(asOf: asOf))?.json
                    ),
                ]
                for (one, other) in pairs {
                    // Positions are equal, recorded times are not.
                    let isSame = one?.apartFromPositions == other?.apartFromPositions
                    #expect(isSame, "seed \(TestEnvironment.seed), \(id) known at \(size)")
                }
            }
        }
    }
}

extension Timeline {
    /// All observations in order, without positions and recorded times.
    fileprivate var apartFromPositions: String {
        observations.map { observation in
            let source = observation.source
            return "\(source.name.digest) \(source.name.path) \(source.time) \(source.rank) \(observation.fact)"
        }.joined(separator: "\n")
    }
}
