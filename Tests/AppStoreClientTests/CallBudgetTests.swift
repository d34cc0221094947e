import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite struct `A budget of calls` {
    private static let start = Instant(milliseconds: 1_800_000_000_000)
    private static let app = CallBudget.App(bundleId: "com.example.app", environment: .production)

    @Test func `allows no hour more calls than its limit, and nearly as many`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8)
        var generator = SeededGenerator(seed: 7)
        var now = Self.start
        var taken: [Int64] = []
        while now.milliseconds < Self.start.milliseconds + 3 * Instant.millisecondsPerHour {
            if let next = budget.take(.subscriptionStatuses, of: Self.app, at: now) {
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
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8)
        var now = Self.start
        var calls = 0
        while calls < 100_000 {
            if let next = budget.take(.subscriptionStatuses, of: Self.app, at: now) { now = next } else { calls += 1 }
        }
        #expect(now.milliseconds - Self.start.milliseconds <= 4 * Instant.millisecondsPerHour)
    }

    @Test func `counts each endpoint, and all together`() {
        var budget = CallBudget(callsPerHour: 36_000, headroom: 0.8)
        // One test notification a second, of which 0.8 · 3,600 / 60 may come at once.
        for _ in 0..<48 { #expect(budget.take(.testNotification, of: Self.app, at: Self.start) == nil) }
        #expect(budget.take(.testNotification, of: Self.app, at: Self.start) != nil)
        for _ in 0..<432 { #expect(budget.take(.transactionInfo, of: Self.app, at: Self.start) == nil) }
        #expect(
            budget.take(.transactionInfo, of: Self.app, at: Self.start) != nil,
            "480 calls of all kinds may come at once")
    }

    @Test func `is a tenth of each endpoint's limit in the sandbox`() {
        var budget = CallBudget(callsPerHour: 1_000_000, headroom: 1)
        let sandbox = CallBudget.App(bundleId: "com.example.app", environment: .sandbox)
        var calls = 0
        while budget.take(.transactionInfo, of: sandbox, at: Self.start) == nil { calls += 1 }
        // A minute's worth of a tenth of 50 calls a second.
        #expect(calls == 300)
        #expect(budget.take(.transactionInfo, of: Self.app, at: Self.start) == nil, "each app counts for itself")
    }

    @Test func `survives a clock that goes back`() {
        var budget = CallBudget(callsPerHour: 60, headroom: 1)
        #expect(budget.take(.transactionInfo, of: Self.app, at: Self.start) == nil)
        let earlier = Self.start.advanced(byMilliseconds: -Instant.millisecondsPerDay)
        #expect(budget.take(.transactionInfo, of: Self.app, at: earlier) != nil)
    }
}
