import AppStoreSimulation
import FactSegments
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import Primitives
import StateTables
import TableFiles

/// The units of a simulated history, with customers, and the questions about them.
struct SimulatedUnits {
    static let seed = TestEnvironment.seed
    let units: [(subject: UInt128, unit: UInt128, facts: UnitFacts)]
    let inputs: FoldInputs

    init(customers: Int = 60) throws {
        let store = StoreConfiguration.lifelike
        let artifacts = Simulation(seed: Self.seed, customers: customers, store: store).run().artifacts
        let facts = try SimulatedFacts(artifacts)
        let timelines = facts.timelines
        let last = facts.observations.map(\.observation.source.recordedAt).max() ?? .earliest
        var random = SeededRandom()
        units = facts.units.map { lineages in
            let keys = lineages.flatMap(\.subscriptions).map(\.key)
            // Two units in three have a subject of their own.
            let subject = random.chance(33) ? UInt128(random.next() % 8) : UInt128(random.next())
            let events = keys.enumerated().map { index, key in
                CustomerHistory.Event(Self.claim(key, index, &random), recordedAt: last)
            }
            return (
                subject, UInt128(random.next()),
                UnitFacts(timelines: timelines.filter { keys.contains($0.key) }, customers: CustomerHistory(events))
            )
        }
        let catalog = CatalogHistory(simulated: store)
        let zone = "America/Los_Angeles"
        inputs = FoldInputs(
            AnalysisContext(
                size: .max >> 1, rules: Rules(), catalogs: [Symbol(store.bundleId): catalog],
                rates: RatesHistory(), signedBy: nil),
            asOf: last, in: nil, zones: [.init(name: zone, tzif: try TimeZoneDatabase.compiledTable(named: zone))],
            as: .csv)
    }

    private static func claim(_ key: SubscriptionKey, _ index: Int, _ random: inout SeededRandom) -> CustomerFact {
        .claim(
            Claim(
                key: key, customer: CustomerHandle(value: UInt128(random.next())), by: random.pick([.app, .backend]),
                position: Position(index)))
    }

    var facts: [SegmentFact] {
        units.flatMap { subject, unit, facts in
            facts.timelines.flatMap { key, timeline in
                timeline.observations.map { SegmentFact(subject: subject, unit: unit, .observation(key, $0)) }
            }
                + facts.customers.events.map {
                    SegmentFact(subject: subject, unit: unit, .customerEvent($0.fact, recordedAt: $0.recordedAt))
                }
        }
    }

    /// Returns segments in which each subject is whole.
    func segments(_ count: Int, of inputs: [UInt8]) -> [[UInt8]] {
        (0..<count).map { partition in
            var writer = FrameWriter()
            SegmentHeader(partition: partition, of: count, inputs: .sha256(of: inputs)).append(to: &writer)
            let mine = facts.filter { Int($0.subject % UInt128(count)) == partition }
            for fact in mine.sorted(by: { ($0.subject, $0.unit) < ($1.subject, $1.unit) }) { fact.append(to: &writer) }
            writer.finish()
            return writer.take()
        }
    }
}
