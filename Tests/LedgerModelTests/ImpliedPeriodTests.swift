import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `An implied period` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let periods: [String]

        init(_ name: String, _ observations: [Observation], _ periods: [String]) {
            testDescription = name
            self.observations = observations
            self.periods = periods
        }
    }

    static let first = transaction("1", 0, 30)

    static func info(
        signed: Int, renewalDate: Int, product: Symbol = "monthly"
    ) -> Observation {
        renewalInfo(signed: signed, renewalDate: renewalDate, product: product)
    }

    /// A renewal signed before its purchaseDate.
    static func early(_ id: String, _ start: Int, _ end: Int, signed: Int, product: Symbol = "monthly") -> Observation {
        transaction(id, start, end, signed: signed) {
            $0.transactionReason = .renewal
            $0.productId = product
        }
    }

    static let rows = [
        Row(
            "there is none where a transaction reaches renewalDate", [first, info(signed: 5, renewalDate: 30)],
            ["monthly 0..<30 #1"]),
        Row(
            "begins at the newest known end", [first, info(signed: 40, renewalDate: 60)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo"]),
        Row(
            "begins where the length of the product's newest period puts it, if that is later than the newest end",
            [first, info(signed: 50, renewalDate: 75)],
            ["monthly 0..<30 #1", "monthly 45..<75 ~renewalInfo"]),
        Row(
            "begins at the newest end of any product",
            [first, transaction("2", 30, 60) { $0.productId = "weekly" }, info(signed: 65, renewalDate: 80)],
            ["monthly 0..<30 #1", "weekly 30..<60 #2", "monthly 60..<80 ~renewalInfo"]),
        Row(
            "begins when the renewal info was signed where no length is known",
            [first, info(signed: 40, renewalDate: 60, product: "yearly")],
            ["monthly 0..<30 #1", "yearly 40..<60 ~renewalInfo"]),
        Row(
            "begins no later than the renewal info was signed, as an upgrade does",
            [transaction("1", 0, 3_000), info(signed: 20, renewalDate: 3_050, product: "yearly")],
            ["monthly 0..<3000 #1", "yearly 20..<3050 ~renewalInfo"]),
        Row(
            "begins at the newest end if it was signed in the 24 hours before, as a renewal charged already",
            [first, info(signed: 20, renewalDate: 50, product: "yearly")],
            ["monthly 0..<30 #1", "yearly 30..<50 ~renewalInfo"]),
        Row(
            "is none of the product's own more than 24 hours before the end: that is an extension",
            [transaction("1", 0, 3_000), info(signed: 20, renewalDate: 3_050)],
            ["monthly 0..<3050 #1"]),
        Row(
            "begins when the renewal info was signed where nothing is known",
            [info(signed: 10, renewalDate: 40)], ["monthly 10..<40 ~renewalInfo"]),
        Row(
            "is implied once by renewal infos that agree",
            [first, info(signed: 40, renewalDate: 60), info(signed: 50, renewalDate: 60)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo"]),
        Row(
            "follows one that an older renewal info implies",
            [first, info(signed: 40, renewalDate: 60), info(signed: 70, renewalDate: 90)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo", "monthly 60..<90 ~renewalInfo"]),
        Row(
            "gives way to the real one",
            [first, info(signed: 40, renewalDate: 60), transaction("2", 30, 60, signed: 99)],
            ["monthly 0..<30 #1", "monthly 30..<60 #2"]),
        Row(
            "stays when only the purchase after it is known",
            [first, info(signed: 40, renewalDate: 60), transaction("3", 60, 90)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo", "monthly 60..<90 #3"]),
        Row(
            "ends where a status that denies it is signed",
            [first, info(signed: 40, renewalDate: 60), notification(.expired, signed: 50, status: .expired)],
            ["monthly 0..<30 #1", "monthly 30..<50 ~renewalInfo"]),
        Row(
            "is not ended by an older status",
            [first, info(signed: 40, renewalDate: 60), notification(.expired, signed: 35, status: .expired)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo"]),
        Row(
            "is not ended by a status that grants",
            [first, info(signed: 40, renewalDate: 60), notification(.didRenew, signed: 50, status: .active)],
            ["monthly 0..<30 #1", "monthly 30..<60 ~renewalInfo"]),
        Row(
            "precedes a renewal signed ahead of its purchaseDate, with the product from before",
            [transaction("1", 0, 30) { $0.productId = "basic" }, early("2", 50, 80, signed: 45)],
            ["basic 0..<30 #1", "basic 45..<50 ~earlyRenewal", "monthly 50..<80 #2"]),
        Row(
            "precedes it with its own product where none is known from before",
            [early("2", 50, 80, signed: 45), early("2", 50, 80, signed: 40)],
            ["monthly 40..<50 ~earlyRenewal", "monthly 50..<80 #2"]),
        Row(
            "does not precede it where a known period covers its signedDate",
            [first, early("2", 50, 80, signed: 29)], ["monthly 0..<30 #1", "monthly 50..<80 #2"]),
        Row(
            "does not precede a purchase", [transaction("2", 50, 80, signed: 45) { $0.transactionReason = .purchase }],
            ["monthly 50..<80 #2"]),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            #expect(fold(observations).periods.map(\.text) == row.periods)
        }
    }

    @Test func `tolerates a second where dates join`() {
        func periods(short milliseconds: Int64) -> Int {
            let known = transaction("1", 0, nil) {
                $0.expiresDate = minute(30).advanced(byMilliseconds: -milliseconds)
            }
            return fold([known, Self.info(signed: 5, renewalDate: 30)]).periods.count
        }
        #expect(periods(short: 1_000) == 1)
        #expect(periods(short: 1_001) == 2)
    }

    @Test func `is revoked where a signed status says so`() {
        let again = Self.info(signed: 50, renewalDate: 60)
        let observations = [
            Self.first, Self.info(signed: 40, renewalDate: 60), again,
            notification(.revoke, signed: 50, status: .revoked, renewalInfo: again),
        ]
        let implied = fold(observations).periods[1]
        #expect(implied.revocation(at: minute(49)) == nil)
        #expect(implied.revocation(at: minute(50)) != nil)
    }

    @Test func `is ended by what revokes the purchase it follows`() {
        let refunded = transaction("1", 0, 30, signed: 45) { $0.revocation = .init(revocationDate: minute(44)) }
        let implied = fold([Self.first, refunded, Self.info(signed: 40, renewalDate: 60)]).periods[1]
        #expect([43, 44].map { implied.revocation(at: minute($0)) != nil } == [false, true])
    }

    @Test func `is the older of two over the same time if it was stated first`() {
        // Many ids, because the order of a dictionary varies.
        for id in 2..<40 {
            let renewals = [
                Self.early("\(id)", 50, 80, signed: 45, product: "a"),
                Self.early("\(id + 100)", 50, 90, signed: 45, product: "b"),
            ]
            let stated = renewals.sorted { $0.source.precedes($1.source) }.map(\.source)
            let implied = fold(renewals).periods.filter { !$0.isKnown }
            #expect(implied.map(\.sources) == [[stated[0]], [stated[1]]])
        }
    }
}
