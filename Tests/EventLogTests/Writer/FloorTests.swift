import EventLog
import LedgerTesting
import Primitives
import Testing

@Suite struct `A floor under recorded times` {
    @Test func `is below every later event, whatever the clock says`() async throws {
        let setup = try LogUnderTest()
        setup.clock.now = Instant(milliseconds: 1_000)
        try await setup.writing { log in
            try await log.append([.sample("a")])
            #expect(try log.raiseFloor(to: Instant(milliseconds: 5_000)) == 1)
            try await log.append([.sample("b")])
            #expect(try log.raiseFloor(to: Instant(milliseconds: 3_000)) == 2)
            try await log.append([.sample("c")])
            setup.clock.now = Instant(milliseconds: 9_000)
            try await log.append([.sample("d")])
            let times = try (0..<4).map { try log.record(at: $0)?.recordedAt.milliseconds }
            #expect(times == [1_000, 5_001, 5_001, 9_000])
        }
        var configuration = setup.configuration()
        configuration.floor = Instant(milliseconds: 9_500)
        try await setup.writing(with: configuration) { log in
            try await log.append([.sample("e")])
            #expect(try log.record(at: 4)?.recordedAt == Instant(milliseconds: 9_501))
        }
    }

    @Test func `holds for a group that has its time already and is not committed`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let now = setup.clock.now
            setup.clock.hold()
            let waiting = log.offer([.sample("a")])
            setup.clock.waitUntilAsked()
            let size = try log.raiseFloor(to: now)
            setup.clock.release()
            try await waiting.expect([.new(0)])
            #expect(size == 0)
            #expect(try log.record(at: 0)?.recordedAt == now.advanced(byMilliseconds: 1))
        }
    }

    @Test func `parts every event of a racing writer`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let floors = try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<60 { try await log.append([.sample("\(writer) \(number)")]) }
                    }
                }
                var floors: [(Instant, UInt64)] = []
                while try log.size() < 240 {
                    let instant = setup.clock.now
                    setup.clock.now = instant.advanced(byMilliseconds: 1)
                    floors.append((instant, try log.raiseFloor(to: instant)))
                    await Task.yield()
                }
                try await group.waitForAll()
                return floors
            }
            let times = try (0..<log.size()).map { try #require(try log.record(at: $0)).recordedAt }
            #expect(times.count == 240)
            for (instant, size) in floors {
                #expect(times[Int(size)...].allSatisfy { $0 > instant })
            }
            print("raised \(floors.count) floors, \(Set(floors.map(\.1)).count) of them apart")
        }
    }
}
