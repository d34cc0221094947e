package import Primitives

/// The comparison of Apple's notification history with the log.
///
/// Every notification of the window is matched or missing. Every missing one is ingested or unverifiable.
package struct ReconcileAnswer: Hashable, Sendable {
    package var since: Instant
    package var until: Instant
    /// Notifications that the log had.
    package var matched = 0
    /// Notifications that the log did not have.
    package var missing = 0
    package var ingested = 0
    /// Missing notifications that verification refused. They are in the quarantine.
    package var unverifiable = 0
    /// Missing notifications that the service confirmed, according to Apple. They were acknowledged and then lost.
    package var lost = 0
    /// Missing notifications that Apple will still deliver again.
    package var pending = 0
    /// The start of the window, if Apple no longer answers about it.
    package var notCovered: Span?
    package var lateness = Lateness()

    package struct Span: Hashable, Sendable {
        package var since: Instant
        package var until: Instant

        package init(since: Instant, until: Instant) {
            self.since = since
            self.until = until
        }
    }

    package init(since: Instant, until: Instant) {
        self.since = since
        self.until = until
    }

    /// Adds the comparison of another app.
    package mutating func add(_ other: Self) {
        (since, until) = (min(since, other.since), max(until, other.until))
        matched += other.matched
        missing += other.missing
        ingested += other.ingested
        unverifiable += other.unverifiable
        lost += other.lost
        pending += other.pending
        if let span = other.notCovered {
            notCovered = Span(
                since: min(notCovered?.since ?? span.since, span.since),
                until: max(notCovered?.until ?? span.until, span.until))
        }
        lateness.add(other.lateness)
    }
}

/// The seconds from Apple's first attempt to the recording, of the matched notifications.
package struct Lateness: Hashable, Sendable {
    /// The number of notifications for each number of seconds.
    private var counts: [Int64: Int] = [:]

    package init() {}

    /// - Parameter milliseconds: negative when the clocks differ.
    package mutating func add(milliseconds: Int64) {
        counts[max(0, milliseconds) / 1_000, default: 0] += 1
    }

    package mutating func add(_ other: Lateness) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Returns the least number of seconds that a share of the notifications do not exceed; nil without any.
    package func seconds(_ share: Double) -> Int? {
        let total = counts.values.reduce(0, +)
        let rank = max(1, Int((share * Double(total)).rounded(.up)))
        var passed = 0
        for (seconds, count) in counts.sorted(by: { $0.key < $1.key }) {
            passed += count
            if passed >= rank { return Int(seconds) }
        }
        return nil
    }
}

extension ReconcileAnswer: JSONRepresentable {
    package var json: JSONValue {
        .object([
            .init("since", JSONValue(since)), .init("until", JSONValue(until)), .init("matched", JSONValue(matched)),
            .init("missing", JSONValue(missing)), .init("ingested", JSONValue(ingested)),
            .init("unverifiable", JSONValue(unverifiable)), .init("lost", JSONValue(lost)),
            .init("pending", JSONValue(pending)),
            .init(
                "notCovered",
                notCovered.map { .object(["since": JSONValue($0.since), "until": JSONValue($0.until)]) } ?? .null),
            .init(
                "lateness",
                .object([
                    "p50": JSONValue(lateness.seconds(0.5)), "p90": JSONValue(lateness.seconds(0.9)),
                    "p99": JSONValue(lateness.seconds(0.99)), "max": JSONValue(lateness.seconds(1)),
                ])),
        ])
    }
}
