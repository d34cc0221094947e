import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `What a renewal info speaks of` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        /// The minutes at which the renewal infos about each transaction were signed.
        let spokenOf: [String: [Int]]

        init(_ name: String, _ observations: [Observation], _ spokenOf: [String: [Int]]) {
            testDescription = name
            self.observations = observations
            self.spokenOf = spokenOf
        }
    }

    static let first = transaction("1", 0, 30)
    static let second = transaction("2", 30, 60)

    static func info(_ signed: Int, _ renewalDate: Int?) -> Observation {
        renewalInfo(signed: signed, renewalDate: renewalDate)
    }

    static let rows = [
        Row("is the period whose end joins renewalDate", [first, second, info(45, 60)], ["2": [45]]),
        Row(
            "is that period even when a later one has begun", [first, second, info(45, 30), info(46, 60)],
            ["1": [45], "2": [46]]),
        Row(
            "is a period that ends with any of its stated ends",
            [transaction("1", 0, 3_000), transaction("1", 0, 4_000, signed: 50), info(60, 3_000), info(70, 4_000)],
            ["1": [60, 70]]),
        Row(
            "is the latest purchase of several with that end",
            [transaction("1", 0, 60), transaction("2", 10, 60) { $0.productId = "yearly" }, info(20, 60)], ["2": [20]]),
        Row(
            "is one begun by its signing, of several with that end",
            [transaction("1", 0, 60), transaction("2", 10, 60) { $0.productId = "yearly" }, info(5, 60)], ["1": [5]]),
        Row(
            "is a renewal charged before it begins", [first, transaction("2", 30, 60, signed: 25), info(26, 60)],
            ["2": [26]]),
        Row(
            "is the only one with that end, though it has not begun", [first, second, info(10, 60)], ["2": [10]]),
        Row(
            "is the latest purchase begun where it has no renewalDate", [first, second, info(29, nil), info(30, nil)],
            ["1": [29], "2": [30]]),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            let periods = fold(observations).periods.filter { !$0.renewalInfos.isEmpty }
            let spokenOf = periods.map { period in
                (
                    period.transactionId?.text ?? "-",
                    period.renewalInfos.map { Int($0.source.time.milliseconds / 60_000) }
                )
            }
            #expect(Dictionary(uniqueKeysWithValues: spokenOf) == row.spokenOf)
        }
    }

    @Test(arguments: [(-1_001, false), (-1_000, true), (0, true), (1_000, true), (1_001, false)])
    func `is joined within a second`(milliseconds: Int64, isJoined: Bool) {
        let near = renewalInfo(signed: 35, renewalDate: nil) {
            $0.renewalDate = minute(60).advanced(byMilliseconds: milliseconds)
        }
        #expect(fold([Self.first, Self.second, near]).periods[1].renewalInfos.isEmpty == !isJoined)
    }
}

@Suite struct `The renewal info in force` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Renewal infos about the period 0..<30.
        let renewalInfos: [Observation]
        /// The signing minute of the renewal info in force at each minute; foreseen if it counts for auto-renew only.
        let inForce: KeyValuePairs<Int, String>

        init(_ name: String, _ renewalInfos: [Observation], _ inForce: KeyValuePairs<Int, String>) {
            testDescription = name
            self.renewalInfos = renewalInfos
            self.inForce = inForce
        }
    }

    static func info(_ signed: Int, _ change: (inout RenewalFact) -> Void = { _ in }) -> Observation {
        renewalInfo(signed: signed, renewalDate: 30, change)
    }

    static let rows = [
        Row("is none where none speaks of the period", [], [0: "none", 40: "none"]),
        Row(
            "is the newest signed by then inside the period", [info(5), info(20)],
            [5: "5", 19: "5", 20: "20", 29: "20"]),
        Row(
            "is the first one, foreseen, before it was signed", [info(20)],
            [0: "20 foreseen", 19: "20 foreseen", 20: "20"]),
        Row("is foreseen from after the end too", [info(50)], [29: "50 foreseen", 30: "50"]),
        Row(
            "is the first signed after the end from the end on: what became of the renewal is known",
            [info(5), info(50), info(90)], [29: "5", 30: "50", 49: "50", 50: "50", 89: "50", 90: "90"]),
        Row("is one signed at the end itself", [info(5), info(30), info(50)], [30: "30", 49: "30", 50: "50"]),
        Row(
            "is the newest from before the end where none is signed after it", [info(5), info(20)],
            [30: "20", 99: "20"]),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        // A renewal info about another period never counts for this one.
        let others = [transaction("2", 100, 130), renewalInfo(signed: 25, renewalDate: 130)]
        for observations in [row.renewalInfos, row.renewalInfos.reversed()] {
            let period = fold([transaction("1", 0, 30)] + observations + others).periods[0]
            for (at, expected) in row.inForce {
                let text = period.renewal(at: minute(at)).map { renewal in
                    "\(renewal.statement.source.time.milliseconds / 60_000)" + (renewal.isForeseen ? " foreseen" : "")
                }
                #expect(text ?? "none" == expected, "at \(at)")
            }
        }
    }

    @Test func `counts for auto-renew only while it is foreseen`() throws {
        let failed = Self.info(20) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, .billingError) }
        let foreseen = try #require(fold([transaction("1", 0, 30), failed]).periods[0].renewal(at: minute(10)))
        #expect(foreseen.autoRenewStatus == .on)
        #expect(foreseen.autoRenewProductId == "monthly")
        #expect(!foreseen.statesFailure)
        #expect(foreseen.expirationIntent == nil)
    }

    @Test func `of equal signings is the one with the later renewalDate, then with a failure`() throws {
        func inForce(_ renewalInfos: [Observation]) throws -> RenewalFact {
            let ends = [transaction("1", 0, 30), transaction("1", 0, 30, signed: 1) { $0.expiresDate = minute(40) }]
            return try #require(fold(ends + renewalInfos).periods[0].renewal(at: minute(10))).statement.value
        }
        for product: Symbol in ["a", "b", "c", "d"] {
            let later = renewalInfo(signed: 5, renewalDate: 40) { $0.autoRenewProductId = product }
            let failed = Self.info(5) { $0.expirationIntent = .billingError }
            #expect(try inForce([later, failed]).renewalDate == minute(40))
            let plain = Self.info(5) { $0.autoRenewProductId = product }
            #expect(try inForce([plain, failed]).expirationIntent == .billingError)
        }
    }

    @Test func `says since when auto-renew is off: the first of the last run`() {
        let (on, off) = (
            [5, 15, 30].map { Self.info($0) }, [10, 12, 20, 25].map { Self.info($0) { $0.autoRenewStatus = .off } }
        )
        let period = fold([transaction("1", 0, 30)] + on + off).periods[0]
        let since = [9, 10, 14, 15, 20, 29, 30].map { period.autoRenewOffSince(at: minute($0)) }
        #expect(since == [nil, 10, 10, nil, 20, 20, nil].map { $0.map(minute) })
    }
}

@Suite struct `A signed status` {
    static func status(
        _ code: SubscriptionStatusCode, signed: Int, transaction: Observation? = nil, renewalInfo: Observation? = nil
    ) -> Observation {
        notification(.didRenew, signed: signed, status: code, carrying: transaction, renewalInfo: renewalInfo)
    }

    static let about = renewalInfo(signed: 35, renewalDate: 30)

    @Test func `is evidence about the period of its renewal info, else of its transaction`() {
        let purchases = [transaction("1", 0, 30), transaction("2", 30, 60)]
        let statuses = [
            Self.status(.expired, signed: 36, transaction: purchases[1], renewalInfo: Self.about),
            Self.status(.active, signed: 40, transaction: purchases[1]), Self.status(.revoked, signed: 50),
        ]
        let periods = fold(purchases + [Self.about] + statuses).periods
        #expect(periods.map { $0.signedStatuses.map(\.code) } == [[.expired], [.active]])
    }

    @Test func `dates from the renewal info it came with, since a retry is signed again`() {
        let retried = Self.status(.billingRetry, signed: 90, renewalInfo: Self.about)
        let period = fold([transaction("1", 0, 30), Self.about, retried]).periods[0]
        #expect(period.signedStatuses.map(\.time) == [minute(35)])
    }

    @Test func `belongs to its own period in a long history`() {
        let numbers = 0..<40
        let purchases = numbers.map { transaction("\($0)", 30 * $0, 30 * $0 + 30) }
        let restored = transaction("restored", 300, 330, signed: 2_000) { $0.webOrderLineItemId = "item-10" }
        let infos = numbers.map { renewalInfo(signed: 30 * $0 + 5, renewalDate: 30 * $0 + 30) }
        let statuses = numbers.map {
            Self.status(.active, signed: 30 * $0 + 6, transaction: purchases[$0], renewalInfo: infos[$0])
        }
        let periods = fold(purchases + [restored] + infos + statuses).periods
        let expected = numbers.map { [minute(30 * $0 + 5)] }
        #expect(periods.map { $0.signedStatuses.map(\.time) } == expected)
        #expect(periods.map { $0.renewalInfos.map(\.source.time) } == expected)
        #expect(periods.map(\.sources.count) == numbers.map { $0 == 10 ? 2 : 1 })
    }

    @Test(arguments: [(29, nil), (30, 3), (34, 3), (35, 3), (49, 3), (50, 2), (99, 2)] as [(Int, Int64?)])
    func `counts from the end on, as its renewal info does`(at: Int, code: Int64?) {
        let late = renewalInfo(signed: 50, renewalDate: 30)
        let period = fold([
            transaction("1", 0, 30), Self.about, late, Self.status(.billingRetry, signed: 35, renewalInfo: Self.about),
            Self.status(.expired, signed: 50, renewalInfo: late),
        ]).periods[0]
        #expect(period.signedStatus(at: minute(at))?.code.rawValue == code)
    }
}
