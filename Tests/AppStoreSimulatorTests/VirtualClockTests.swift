import AppStoreSimulator
import Primitives
import Testing

@Suite struct `A virtual clock` {
    private static let start = Instant(milliseconds: 1_735_689_600_000)
    private static let end = start.advanced(byMilliseconds: 10 * Instant.millisecondsPerHour)

    private func clock(_ speed: VirtualClock.Speed) -> VirtualClock {
        VirtualClock(start: Self.start, end: Self.end, speed: speed)
    }

    @Test func `passes at a multiple of real time, without losing fractions`() {
        var clock = clock(.times(0.1))
        for _ in 0..<1_000 { _ = clock.step(after: .milliseconds(7)) }
        #expect(abs(clock.now.milliseconds - Self.start.milliseconds - 700) <= 1)
        var fast = self.clock(.times(3_600))
        #expect(fast.step(after: .seconds(2)) == Self.start.advanced(byMilliseconds: 7_200_000))
    }

    @Test func `stands still at speed 0`() {
        var clock = clock(.times(0))
        #expect(clock.step(after: .seconds(100)) == nil && clock.now == Self.start)
    }

    @Test func `plays in steps of an hour to its end, then in real time`() {
        var clock = clock(.maximum)
        for hour in 1...10 as ClosedRange<Int64> {
            #expect(clock.goal == Self.end)
            #expect(clock.step(after: .zero) == Self.start.advanced(byMilliseconds: hour * 3_600_000))
        }
        #expect(clock.goal == nil && clock.speed == .times(1))
        #expect(clock.step(after: .seconds(1)) == Self.end.advanced(byMilliseconds: 1_000))
    }

    @Test func `never goes back`() {
        var clock = clock(.times(1))
        clock.play(to: Self.start.advanced(byMilliseconds: -5_000))
        #expect(clock.step(after: .zero) == Self.start)
    }

    @Test(arguments: [
        ("max", VirtualClock.Speed.maximum), ("60x", .times(60)), ("0", .times(0)), ("1.5x", .times(1.5)),
    ])
    func `reads its speed`(_ text: String, _ speed: VirtualClock.Speed) {
        #expect(VirtualClock.Speed(parsing: text) == speed)
        #expect(VirtualClock.Speed(parsing: speed.text) == speed)
    }

    @Test(arguments: ["", "x", "-1x", "fast", "1e9", "nan"])
    func `refuses any other speed`(_ text: String) {
        #expect(VirtualClock.Speed(parsing: text) == nil)
    }
}
