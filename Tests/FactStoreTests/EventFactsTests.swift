import AppStoreModel
import FactStore
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `Facts of an event` {
    private static let position: Position = 77
    private static let recordedAt = Instant(milliseconds: 1_768_478_400_000)

    private func decoded(_ bytes: [UInt8]) -> EventFacts? {
        EventFacts(bytes: bytes, position: Self.position, recordedAt: Self.recordedAt)
    }

    private func sample(_ generator: inout SeededRandom) -> EventFacts {
        let key = SubscriptionKey(
            environment: .sandbox, bundleId: "com.example.app", originalTransactionId: "\(generator.next())")
        let handles = (0..<2).map { _ in CustomerHandle(value: UInt128(generator.next())) }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            return EventFacts(
                .claim(
                    Claim(
                        key: key, customer: handles[0], by: generator.pick(Claim.Authority.allCases),
                        position: Self.position)))
        case 1:
            return EventFacts(
                .directory(
                    .merge(
                        Merge(
                            customer: handles[0], into: handles[1], by: generator.pick(Claim.Authority.allCases),
                            position: Self.position))))
        case 2:
            return EventFacts(
                .directory(
                    .unmerge(Unmerge(customer: handles[0], into: handles[1], position: Self.position))))
        case 3:
            return EventFacts(.transfer(Transfer(key: key, customer: handles[0], position: Self.position)))
        case 4:
            return EventFacts(
                .refusedClaim(Claim(key: key, customer: handles[0], by: .app, position: Self.position)))
        default:
            return EventFacts(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    .sample(
                        Int.random(in: 0..<10_000, using: &generator), position: Self.position,
                        recordedAt: Self.recordedAt)
                })
        }
    }

    @Test func `come back as they were stored, under the position and time of their record`() throws {
        var generator = SeededRandom()
        for _ in 0..<2_000 {
            let facts = sample(&generator)
            let back = try #require(decoded(facts.bytes))
            #expect(back.observations == facts.observations, "seed \(TestEnvironment.seed)")
            #expect(back.customerFact == facts.customerFact)
        }
    }

    @Test func `of nobody are four bytes`() {
        #expect(EventFacts([]).bytes == [0, 0, 0, 0])
        #expect(decoded([0, 0, 0, 0])?.observations.isEmpty == true)
        #expect(decoded([]) == nil && decoded([0, 0, 0]) == nil)
    }

    @Test func `cut anywhere, or longer than they are, are refused`() {
        var generator = SeededRandom()
        for _ in 0..<100 {
            let bytes = sample(&generator).bytes
            for count in bytes.indices where decoded(Array(bytes[..<count])) != nil {
                // The only valid prefix: no observations and no customer fact.
                #expect(count == 4 && bytes[..<4] == [0, 0, 0, 0])
            }
            #expect(decoded(bytes + [0]) == nil)
        }
    }

    @Test func `of changed bytes are refused, or are what those bytes say`() {
        var generator = SeededRandom()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = sample(&generator).bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = generator.pick([
                    0, 1, 0xFF, bytes[index] ^ 1, UInt8.random(in: 0...255, using: &generator),
                ])
            }
            guard let facts = decoded(bytes) else { continue }
            accepted += 1
            let again = decoded(facts.bytes)
            #expect(again?.observations == facts.observations, "seed \(TestEnvironment.seed)")
            #expect(again?.customerFact == facts.customerFact)
        }
        #expect(accepted > 1_000)
    }
}
