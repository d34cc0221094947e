import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite struct `A budget of calls` {
    private static let start = Instant(milliseconds: 1_800_000_000_000)

    @Test func `allows no hour more calls than its limit, and nearly as many`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8, environment: .production)
        var generator = SeededGenerator(seed: 7)
        var now = Self.start
        var taken: [Int64] = []
        while now.milliseconds < Self.start.milliseconds + 3 * Instant.millisecondsPerHour {
            if let next = budget.take(.subscriptionStatuses, at: now) {
                #expect(next > now)
                // Some callers ask late.
                now = next.advanced(byMilliseconds: generator.chance(percent: 2) ? generator.number(in: 0...90_000) : 0)
            } else {
                taken.append(now.milliseconds)
            }
        }
        var first = 0
        for (index, instant) in taken.enumerated() {
            while taken[first] <= instant - Instant.millisecondsPerHour { first += 1 }
            #expect(index - first + 1 <= 28_800)
        }
        #expect(taken.count > 2 * 28_000)
    }

    @Test func `asks about 100,000 subscriptions within four hours`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8, environment: .production)
        var now = Self.start
        var calls = 0
        while calls < 100_000 {
            if let next = budget.take(.subscriptionStatuses, at: now) { now = next } else { calls += 1 }
        }
        #expect(now.milliseconds - Self.start.milliseconds <= 4 * Instant.millisecondsPerHour)
    }

    @Test func `counts each endpoint, and all together`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8, environment: .production)
        // One test notification a second, of which 0.8 · 3,600 / 60 may come at once.
        for _ in 0..<48 { #expect(budget.take(.testNotification, at: Self.start) == nil) }
        #expect(budget.take(.testNotification, at: Self.start) != nil)
        for _ in 0..<432 { #expect(budget.take(.transactionInfo, at: Self.start) == nil) }
        #expect(budget.take(.transactionInfo, at: Self.start) != nil, "480 calls of all kinds may come at once")
    }

    @Test func `is a tenth in the sandbox`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 1, environment: .sandbox)
        var calls = 0
        while budget.take(.transactionInfo, at: Self.start) == nil { calls += 1 }
        #expect(calls == 60)
    }

    @Test func `survives a clock that goes back`() {
        var budget = CallBudget(callsPerHour: 60, headroom: 1, environment: .production)
        #expect(budget.take(.transactionInfo, at: Self.start) == nil)
        let earlier = Self.start.advanced(byMilliseconds: -Instant.millisecondsPerDay)
        #expect(budget.take(.transactionInfo, at: earlier) != nil)
    }
}
