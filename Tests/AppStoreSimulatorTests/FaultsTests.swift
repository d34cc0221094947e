import AppStoreSimulator
import Primitives
import Testing

@Suite struct `A list of faults` {
    @Test func `is read`() throws {
        let faults = try Faults(
            parsing: "lose=0.01,repeat=0.02,delay=6h,reorder=0.1,slow=2s,status429=0.5,status5xx=1,lag=200ms,"
                + "rotate=2025-06-01")
        #expect(faults.lose == 0.01 && faults.repeats == 0.02 && faults.reorder == 0.1)
        #expect(faults.delay == 21_600_000 && faults.slow == 2_000 && faults.lag == 200)
        #expect(faults.status429 == 0.5 && faults.status5xx == 1)
        #expect(faults.rotate == Instant(iso8601: "2025-06-01"))
        #expect(try Faults(parsing: "") == Faults())
    }

    @Test(arguments: [
        ("lose", "NAME=VALUE"), ("lose=2", "a share from 0 to 1"), ("lose=-0.1", "a share from 0 to 1"),
        ("delay=6", "a duration such as 200ms, 2s, 5m, 6h or 1d"), ("rotate=soon", "rotate=DATE"),
        (
            "loose=0.1",
            "one of lose, repeat, reorder, delay, slow, lag, status429, status5xx, status21005, status211xx, rotate"
        ),
        ("status429=nan", "a share from 0 to 1"),
    ])
    func `names the item that it does not know`(_ item: String, _ expected: String) {
        #expect(throws: FaultSyntaxError(item: item, expected: expected)) {
            try Faults(parsing: "repeat=0.5,\(item)")
        }
    }
}
