import AppStoreModel
import DuePolls
import LedgerModel
import LedgerTesting
import Primitives
import Testing

/// Days are counted from the first purchase. A due time is a day and the hour in it, without the minutes that spread
/// polls.
@Suite struct `The next question to Apple` {
    private static func due(
        _ purchases: StatedPurchases, on day: Double, asked: AskedAccount = AskedAccount(),
        policy: PollPolicy = PollPolicy()
    ) -> String? {
        purchases.lineages.duePoll(at: instant(day), asked: asked, policy: policy, rules: Rules()).map { poll in
            let hours = (poll.dueAt.milliseconds - StatedPurchases.day(0).milliseconds) / Instant.millisecondsPerHour
            let question = poll.question == .history ? " history" : ""
            return "\(poll.reason.rawValue)\(question) \(hours / 24)d \(hours % 24)h #\(poll.attempt)"
        }
    }

    private static func instant(_ day: Double) -> Instant {
        StatedPurchases.day(0).advanced(byMilliseconds: Int64(day * Double(Instant.millisecondsPerDay)))
    }

    private static func asked(_ attempted: Double, answered: Double? = nil, history: Double? = nil) -> AskedAccount {
        AskedAccount(
            attemptedAt: instant(attempted), answeredAt: answered.map(instant), historyAt: history.map(instant))
    }

    /// A month from day 0, whose renewal is on as of `heard`.
    private static func month(heard: Int = 0) -> StatedPurchases {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        purchases.renewal(endingOn: 31, signed: heard)
        return purchases
    }

    @Test func `is a day before the end of a period, unless auto-renew was heard since`() {
        #expect(Self.due(Self.month(), on: 10) == "beforeEnd 30d 0h #1")
        #expect(Self.due(Self.month(heard: 30), on: 30.2) == "periodEnded 31d 0h #1")
        #expect(Self.due(Self.month(), on: 30.2, asked: Self.asked(30.1, answered: 30.1)) == "periodEnded 31d 0h #1")
        // Without an answer, the question is repeated after an hour.
        #expect(Self.due(Self.month(), on: 30.2, asked: Self.asked(30)) == "beforeEnd 30d 1h #2")
    }

    @Test func `about a cancellation that no JWS states is daily, then every 35 days, and an hour after its end`() {
        func cancelled(_ rank: SourceRank, silentOn day: Int? = nil) -> StatedPurchases {
            var purchases = Self.month()
            purchases.buy("1", 0..<31, signed: 10, rank: rank) {
                $0.revocation = .init(revocationDate: StatedPurchases.day(9))
            }
            if let day { purchases.buy("1", 0..<31, signed: day, rank: .verifyReceiptLatest) }
            return purchases
        }
        let asked = Self.asked(12, answered: 12)
        #expect(Self.due(cancelled(.verifyReceiptLatest), on: 12, asked: asked) == "sweep 13d 0h #1")
        #expect(Self.due(cancelled(.receiptFile), on: 12, asked: asked) == "sweep 13d 0h #1")
        #expect(Self.due(cancelled(.jws), on: 12, asked: asked) == nil)
        #expect(
            Self.due(cancelled(.receiptFile), on: 40, asked: Self.asked(32, answered: 32)) == "sweep 67d 0h #1")
        #expect(
            Self.due(cancelled(.receiptFile, silentOn: 12), on: 12, asked: asked) == "disagreement 12d 1h #1")
    }

    @Test func `is at most a quarter of the period before its end`() {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<2)
        purchases.renewal(endingOn: 2, signed: 0)
        #expect(Self.due(purchases, on: 1) == "beforeEnd 1d 12h #1")
    }

    @Test(arguments: [
        (31.0, "periodEnded 31d 1h #2"), (31.05, "periodEnded 31d 6h #3"), (31.5, "periodEnded 32d 0h #4"),
        (32.5, "periodEnded 33d 0h #5"), (40.5, "periodEnded 41d 0h #13"),
    ])
    func `after the end of a period is repeated after 1, 6 and 24 hours, then daily`(asked: Double, due: String) {
        #expect(Self.due(Self.month(heard: 30), on: 41, asked: Self.asked(asked + 0.001, answered: asked)) == due)
    }

    @Test func `after the end of a period is dropped by a successor, by a confirmed end, and after 60 days`() {
        var renewed = Self.month(heard: 30)
        renewed.buy("2", 31..<62)
        renewed.renewal(endingOn: 62, signed: 31)
        #expect(Self.due(renewed, on: 32) == "beforeEnd 61d 0h #1")
        var ended = Self.month(heard: 30)
        ended.renewal(endingOn: 31, signed: 31) { $0.autoRenewStatus = .off }
        #expect(Self.due(ended, on: 32) == nil)
        // Off before the end may be on again at the end.
        var cancelled = Self.month()
        cancelled.renewal(endingOn: 31, signed: 20) { $0.autoRenewStatus = .off }
        #expect(Self.due(cancelled, on: 32) == "periodEnded 31d 0h #1")
        #expect(
            Self.due(Self.month(heard: 30), on: 95, asked: Self.asked(90.5, answered: 90.5)) == "periodEnded 91d 0h #63"
        )
        #expect(Self.due(Self.month(heard: 30), on: 95, asked: Self.asked(91.5, answered: 91.5)) == nil)
        // What nobody ever asked about is asked once, however late.
        #expect(Self.due(Self.month(), on: 800) == "periodEnded 31d 0h #1")
    }

    @Test func `during a retry is daily, a minute after the end of grace, and last on day 60`() {
        var purchases = Self.month(heard: 30)
        purchases.failure(endingOn: 31, graceUntil: 47)
        #expect(Self.due(purchases, on: 31.1) == "retry 32d 0h #1")
        #expect(Self.due(purchases, on: 46.5, asked: Self.asked(46.2, answered: 46.2)) == "retry 47d 0h #16")
        #expect(Self.due(purchases, on: 60, asked: Self.asked(59.5, answered: 59.5)) == "retry 60d 0h #29")
        #expect(Self.due(purchases, on: 90.9, asked: Self.asked(90.8, answered: 90.8)) == "retry 91d 0h #60")
    }

    @Test func `about an account in silence comes after 35 days`() {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<365)
        purchases.renewal(endingOn: 365, signed: 0)
        #expect(Self.due(purchases, on: 10) == "sweep 35d 0h #1")
        #expect(Self.due(purchases, on: 50, asked: Self.asked(40, answered: 40)) == "sweep 75d 0h #1")
        #expect(Self.due(purchases, on: 50, asked: Self.asked(36, answered: nil)) == "sweep 37d 0h #5")
    }

    @Test func `about an implied period is at once, and asks for all transactions if the answer lacks it`() {
        var purchases = Self.month(heard: 30)
        // Signed in a later period, of which no transaction is known.
        purchases.renewal(endingOn: 62, signed: 40)
        #expect(Self.due(purchases, on: 41) == "implied 40d 0h #1")
        #expect(Self.due(purchases, on: 41, asked: Self.asked(40.01)) == "implied 40d 1h #2")
        #expect(Self.due(purchases, on: 41, asked: Self.asked(40.5, answered: 40.5)) == "implied history 40d 0h #1")
        let all = Self.asked(40.6, answered: 40.5, history: 40.6)
        #expect(Self.due(purchases, on: 41, asked: all) == "periodEnded 62d 0h #1")
    }

    @Test func `asks for all transactions when the first is not known`() {
        var purchases = StatedPurchases()
        purchases.buy("5", 0..<31) { $0.transactionReason = .renewal }
        purchases.renewal(endingOn: 31, signed: 0)
        #expect(Self.due(purchases, on: 1) == "implied history 0d 0h #1")
        #expect(
            Self.due(purchases, on: 1, asked: Self.asked(0.5, answered: nil, history: 0.5)) == "beforeEnd 30d 0h #1")
    }

    @Test func `comes after an hour if nothing tells whether the subscription renews`() {
        var purchases = StatedPurchases()
        purchases.buy("1", 0..<31)
        #expect(Self.due(purchases, on: 0.5) == "inferred 0d 1h #1")
        #expect(Self.due(purchases, on: 0.5, asked: Self.asked(0.05)) == "inferred 0d 2h #2")
        #expect(Self.due(purchases, on: 0.5, asked: Self.asked(0.1, answered: 0.1)) == "beforeEnd 30d 0h #1")
        purchases.renewal(endingOn: 31, signed: 0)
        #expect(Self.due(purchases, on: 0.5) == "beforeEnd 30d 0h #1")
        var shared = StatedPurchases()
        shared.buy("1", 0..<31) { $0.inAppOwnershipType = .familyShared }
        #expect(Self.due(shared, on: 0.5) == "beforeEnd 30d 0h #1")
    }

    @Test func `about the renewal of a purchase that was charged early comes when the purchase begins`() {
        var purchases = Self.month(heard: 29)
        purchases.buy("2", 31..<62, signed: 30)
        for day in [30.1, 30.9, 31.1] { #expect(Self.due(purchases, on: day) == "inferred 31d 0h #1") }
        #expect(Self.due(purchases, on: 31.1, asked: Self.asked(31.05, answered: 31.05)) == "beforeEnd 61d 0h #1")
        purchases.renewal(endingOn: 62, signed: 30)
        #expect(Self.due(purchases, on: 30.1) == "beforeEnd 61d 0h #1")
    }

    @Test func `is about the most urgent of those that are due`() {
        var purchases = Self.month()
        purchases.buy("7", of: "7", 0..<365) { $0.productId = "yearly" }
        purchases.renewal(of: "7", endingOn: 365, signed: 0) {
            ($0.productId, $0.autoRenewProductId) = ("yearly", "yearly")
        }
        #expect(Self.due(purchases, on: 10) == "beforeEnd 30d 0h #1")
        #expect(Self.due(purchases, on: 36) == "periodEnded 31d 0h #1")
    }

    @Test func `is the same whenever it is computed before something happens`() {
        let purchases = Self.month()
        let polls = [1.0, 5, 12.25, 29.9].map { day in
            purchases.lineages.duePoll(
                at: Self.instant(day), asked: AskedAccount(), policy: PollPolicy(), rules: Rules())
        }
        #expect(Set(polls).count == 1)
    }
}
