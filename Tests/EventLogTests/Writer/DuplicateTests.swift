import EventLog
import Primitives
import TestSupport
import Testing

@Suite struct `The same thing twice` {
    @Test func `within one request is one event`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let answers = try await log.append([.sample("a"), .sample("b"), .sample("a"), .sample("b"), .sample("c")])
            #expect(answers == [.new(0), .new(1), .known(0), .known(1), .new(2)])
            #expect(try log.head().size == 3)
        }
    }

    @Test func `within one group is one event`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            setup.clock.hold()
            let first = log.offer([.sample("first")])
            setup.clock.waitUntilAsked()
            let tasks = [log.offer([.sample("a")]), log.offer([.sample("a"), .sample("first")])]
            setup.clock.release()
            try await first.expect([.new(0)])
            try await tasks[0].expect([.new(1)])
            try await tasks[1].expect([.known(1), .known(0)])
        }
        #expect(setup.follower.groups.map(\.count) == [1, 1])
    }

    @Test func `in another environment is another thing`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let answers = try await log.append([
                .sample("a", uuid: "u"), .sample("a", uuid: "u", environment: .production),
            ])
            #expect(answers == [.new(0), .new(1)])
        }
        #expect(setup.follower.events.allSatisfy { !$0.record.flags.contains(.repeats) })
    }

    /// Where the first of two is known from: the writer's memory, the follower's store, or the follower's tail after
    /// the log was opened again.
    enum Memory: CaseIterable {
        case writer, store, tail, storeAfterOpening
    }

    @Test(arguments: Memory.allCases)
    func `is known whatever remembers it`(memory: Memory) async throws {
        let setup = try LogUnderTest()
        func forget() {
            if memory == .store || memory == .storeAfterOpening { setup.follower.apply(below: 3) }
        }
        func again(_ log: EventLog) async throws {
            // The group between lets the writer forget what is applied.
            try await log.append([.sample("between")], expecting: [.new(3)])
            let answers = try await log.append([
                .sample("a", uuid: "u"), .sample("a'", uuid: "u"), .sample("a''", uuid: "u"), .sample("b"),
                .sample("a'", uuid: "u"),
            ])
            #expect(answers == [.known(0), .known(0), .repeated(0), .known(2), .known(0)])
            #expect(try log.head().size == 5)
        }
        try await setup.writing { log in
            let answers = try await log.append([.sample("a", uuid: "u"), .sample("a'", uuid: "u"), .sample("b")])
            #expect(answers == [.new(0), .repeated(0), .new(2)])
            forget()
            if memory == .writer || memory == .store { try await again(log) }
        }
        if memory == .tail || memory == .storeAfterOpening { try await setup.writing(again) }
        let repeats = setup.follower.events.filter { $0.record.flags.contains(.repeats) }.map(\.record.position)
        #expect(repeats == [1, 4])
    }

    @Test func `under its UUID keeps its own evidence`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            try await log.append([.sample("a", uuid: "u")], expecting: [.new(0)])
            try await log.append([.sample("b", uuid: "u")], expecting: [.repeated(0)])
            #expect(try log.evidence(at: 0) == EventDraft.sample("a").evidence.bytes)
            #expect(try log.evidence(at: 1) == EventDraft.sample("b").evidence.bytes)
            #expect(try log.record(at: 0)?.flags == [])
            #expect(try log.record(at: 1)?.flags == .repeats)
        }
    }

    @Test func `commits what came with it`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            try await log.append([.sample("transaction")])
            try await log.append([.sample("transaction"), .sample("link")], expecting: [.known(0), .new(1)])
        }
    }
}

@Suite struct `Recorded times` {
    @Test func `never go back, whatever the clock does`() async throws {
        let setup = try LogUnderTest()
        func append(_ key: String, at time: Int64, _ log: EventLog) async throws {
            setup.clock.now = Instant(milliseconds: time)
            try await log.append([.sample(key)])
        }
        try await setup.writing { log in
            try await append("a", at: 1_000, log)
            try await append("b", at: 500, log)
            try await append("c", at: 999, log)
            try await append("d", at: 1_001, log)
        }
        try await setup.writing { log in
            try await append("e", at: -5, log)
            try await append("f", at: 1_002, log)
            let times = try (0..<6).map { try log.record(at: $0)?.recordedAt.milliseconds }
            #expect(times == [1_000, 1_000, 1_000, 1_001, 1_001, 1_002])
        }
    }

    @Test func `are found by halving as by counting`() async throws {
        var generator = SeededRandom()
        let setup = try LogUnderTest()
        try await setup.writing { log in
            #expect(try log.size(recordedUpTo: .latest) == 0)
            for group in 0..<60 {
                let step = Int64(generator.pick([-100, 0, 0, 1, 1, 2, 10_000]))
                setup.clock.now = setup.clock.now.advanced(byMilliseconds: step)
                try await log.append((0..<Int.random(in: 1...5, using: &generator)).map { .sample("\(group) \($0)") })
            }
            let times = setup.follower.events.map(\.record.recordedAt)
            for time in Set(times) {
                for instant in (-1...1).map({ time.advanced(byMilliseconds: $0) }) {
                    let counted = UInt64(times.count { $0 <= instant })
                    #expect(try log.size(recordedUpTo: instant) == counted, "seed \(SeededRandom.seed)")
                }
            }
            #expect(try log.size(recordedUpTo: .earliest) == 0)
            #expect(try log.size(recordedUpTo: .latest) == UInt64(times.count))
        }
    }
}
