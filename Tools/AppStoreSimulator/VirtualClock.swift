package import Primitives

/// The clock of a simulated App Store: virtual time that passes at a multiple of real time, or as fast as possible.
package struct VirtualClock: Sendable {
    package enum Speed: Hashable, Sendable {
        /// Virtual seconds per second; 0 stands still.
        case times(Double)
        /// Maximum speed, limited by the deliveries, up to the end of the simulated months; then real time.
        case maximum
    }

    /// The longest step at maximum speed: what happens within one is delivered together.
    package static let longestStep = Instant.millisecondsPerHour

    package private(set) var now: Instant
    package private(set) var speed: Speed
    /// The instant to play to at maximum speed, before the speed applies.
    package private(set) var goal: Instant?
    /// The end of the simulated months.
    private let end: Instant
    /// Virtual milliseconds that have passed and are less than one.
    private var remainder = 0.0

    package init(start: Instant, end: Instant, speed: Speed) {
        now = start
        self.end = end
        self.speed = .times(0)
        set(speed)
    }

    package mutating func set(_ speed: Speed) {
        switch speed {
        case .times: self.speed = speed
        case .maximum:
            self.speed = .times(1)
            goal = max(now, end)
        }
        remainder = 0
    }

    /// Plays to an instant at maximum speed.
    package mutating func play(to instant: Instant) {
        goal = max(now, instant)
    }

    /// Returns the instant of the next step after `elapsed` real time; nil while the clock stands still.
    package mutating func step(after elapsed: Duration) -> Instant? {
        if let goal {
            let next = min(goal, now.advanced(byMilliseconds: Self.longestStep))
            now = next
            if next == goal { self.goal = nil }
            return next
        }
        guard case .times(let factor) = speed, factor > 0 else { return nil }
        remainder += elapsed / .milliseconds(1) * factor
        let whole = remainder.rounded(.down)
        remainder -= whole
        now = now.advanced(byMilliseconds: Int64(min(whole, 1e15)))
        return now
    }
}

extension VirtualClock.Speed {
    /// Reads `max`, `60x` or `60`; nil for anything else.
    package init?(parsing text: String) {
        if text == "max" {
            self = .maximum
            return
        }
        let number = text.hasSuffix("x") ? text.dropLast() : text[...]
        guard let factor = Double(number), factor >= 0, factor <= 1e6 else { return nil }
        self = .times(factor)
    }

    /// The form in which it is read.
    package var text: String {
        switch self {
        case .maximum: "max"
        case .times(let factor): "\(factor == factor.rounded() ? String(Int64(factor)) : String(factor))x"
        }
    }
}
