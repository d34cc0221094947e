import EventLog
import LedgerTesting
import Primitives
import Testing

@Suite struct `The same thing twice` {
    @Test func `within one request is one event`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let answers = try await log.append([.sample("a"), .sample("b"), .sample("a"), .sample("b"), .sample("c")])
            #expect(answers == [.new(0), .new(1), .known(0), .known(1), .new(2)])
            #expect(try log.size() == 3)
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
        #expect(setup.observer.groups.map(\.count) == [1, 1])
    }

    @Test func `in another environment is another thing`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let answers = try await log.append([
                .sample("a", uuid: "u"), .sample("a", uuid: "u", environment: .production),
            ])
            #expect(answers == [.new(0), .new(1)])
        }
        try setup.reading { log in
            let flags = try (0..<2 as Range<UInt64>).map { try log.record(at: $0)?.flags }
            #expect(flags == [[], []])
        }
    }

    /// The source from which the first of two duplicates is known.
    enum Memory: CaseIterable {
        case pendingKeys, storedKeys, storedKeysAfterOpening, log
    }

    @Test(arguments: Memory.allCases)
    func `is known whatever remembers it`(memory: Memory) async throws {
        let setup = try LogUnderTest()
        func again(_ log: LogWriter) async throws {
            try await log.append([.sample("between")], expecting: [.new(3)])
            let answers = try await log.append([
                .sample("a", uuid: "u"), .sample("a'", uuid: "u"), .sample("a''", uuid: "u"), .sample("b"),
                .sample("a'", uuid: "u"),
            ])
            #expect(answers == [.known(0), .known(0), .repeated(0), .known(2), .known(0)])
            #expect(try log.size() == 5)
        }
        try await setup.writing { log in
            let answers = try await log.append([.sample("a", uuid: "u"), .sample("a'", uuid: "u"), .sample("b")])
            #expect(answers == [.new(0), .repeated(0), .new(2)])
            if memory == .storedKeys { try log.storeKeys() }
            if memory == .pendingKeys || memory == .storedKeys { try await again(log) }
        }
        if memory == .log { try setup.removeDuplicateIndex() }
        if memory == .storedKeysAfterOpening || memory == .log { try await setup.writing(again) }
        let repeats = try setup.reading { log in
            try (0..<5).filter { try log.record(at: $0)?.flags.contains(.repeats) == true }
        }
        #expect(repeats == [1, 4])
    }

    @Test(arguments: Memory.allCases)
    func `is found before anything else is appended`(memory: Memory) async throws {
        let setup = try LogUnderTest()
        func find(_ log: LogWriter) async throws {
            let resigned = try await log.firstPosition(of: log.prepare(.sample("a'", uuid: "u")))
            let (other, unknown) = (log.prepare(.sample("b")), log.prepare(.sample("c")))
            #expect(resigned == 0)
            #expect(try await log.firstPosition(of: other) == 1)
            #expect(try await log.firstPosition(of: unknown) == nil)
            #expect(try log.size() == 2)
        }
        try await setup.writing { log in
            try await log.append([.sample("a", uuid: "u"), .sample("b")], expecting: [.new(0), .new(1)])
            if memory == .storedKeys { try log.storeKeys() }
            if memory == .pendingKeys || memory == .storedKeys { try await find(log) }
        }
        if memory == .log { try setup.removeDuplicateIndex() }
        if memory == .storedKeysAfterOpening || memory == .log { try await setup.writing(find) }
    }

    @Test func `under its UUID keeps its own evidence`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            try await log.append([.sample("a", uuid: "u")], expecting: [.new(0)])
            try await log.append([.sample("b", uuid: "u")], expecting: [.repeated(0)])
            #expect(try log.evidence(at: 0) == EventDraft.sample("a", uuid: "u").evidence.bytes)
            #expect(try log.evidence(at: 1) == EventDraft.sample("b", uuid: "u").evidence.bytes)
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
        func append(_ key: String, at time: Int64, _ log: LogWriter) async throws {
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
            #expect(try log.reader.size(recordedUpTo: .latest) == 0)
            for group in 0..<60 {
                let step = Int64(generator.pick([-100, 0, 0, 1, 1, 2, 10_000]))
                setup.clock.now = setup.clock.now.advanced(byMilliseconds: step)
                try await log.append((0..<Int.random(in: 1...5, using: &generator)).map { .sample("\(group) \($0)") })
            }
            let times = setup.observer.events.map(\.recordedAt)
            for time in Set(times) {
                for instant in (-1...1).map({ time.advanced(byMilliseconds: $0) }) {
                    let counted = UInt64(times.count { $0 <= instant })
                    #expect(try log.reader.size(recordedUpTo: instant) == counted, "seed \(SeededRandom.seed)")
                }
            }
            #expect(try log.reader.size(recordedUpTo: .earliest) == 0)
            #expect(try log.reader.size(recordedUpTo: .latest) == UInt64(times.count))
        }
    }
}
