import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A step function` {
    /// The ends of a period that its transaction states at these minutes.
    static func ends(_ stated: [Observation]) -> StepFunction<Instant>? {
        fold(stated).periods.first?.expiresDate
    }

    static func stated(_ end: Int, at signed: Int, position: Position = 0) -> Observation {
        transaction("1", 0, end, signed: signed, position: position)
    }

    @Test(arguments: [
        (0, 30, true), (9, 30, true), (10, 30, false), (19, 30, false), (20, 40, false), (99, 40, false),
    ])
    func `holds the newest statement made by then, before the first the first`(
        at: Int, value: Int, isInferred: Bool
    ) throws {
        let ends = try #require(Self.ends([Self.stated(30, at: 10), Self.stated(40, at: 20)]))
        let found = try #require(ends.value(at: minute(at)))
        #expect(found.statement.value == minute(value))
        #expect(found.isInferred == isInferred)
    }

    @Test func `holds nothing without a statement`() {
        #expect(StepFunction<Instant>([]).value(at: minute(0)) == nil)
    }

    @Test func `decides equal times by the digest, not by arrival`() {
        let twins = [Self.stated(30, at: 10, position: 1), Self.stated(40, at: 10, position: 2)]
        let greatest = twins.max { $0.source.name < $1.source.name }
        for order in [twins, twins.reversed()] {
            let found = Self.ends(order)?.value(at: minute(10))
            #expect(found?.statement.source.name == greatest?.source.name)
        }
    }
}
