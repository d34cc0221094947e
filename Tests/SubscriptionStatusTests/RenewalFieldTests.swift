import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `Auto-renew` {
    struct OffRow: Sendable {
        let observations: [Observation]
        let at: Int
        let since: Int?
    }

    static let charged = bought("2", month, 2 * month, signed: 600)

    static let offRows = [
        OffRow(observations: [bought()], at: 1, since: nil),
        OffRow(observations: [bought(), info(0, .on)], at: 1, since: nil),
        OffRow(observations: [bought(), info(50, .off)], at: 49, since: nil),
        OffRow(observations: [bought(), info(50, .off)], at: 50, since: 50),
        OffRow(observations: [bought(), info(50, .off), info(60, .off)], at: 70, since: 50),
        OffRow(observations: [bought(), info(50, .off), info(60, .on), info(70, .off)], at: 69, since: nil),
        OffRow(observations: [bought(), info(50, .off), info(60, .on), info(70, .off)], at: 71, since: 70),
        OffRow(observations: [bought(), info(50, .off)], at: month + 5, since: 50),
        // The renewal is charged at hour 600; from then on the next period's auto-renew status counts.
        OffRow(observations: [bought(), info(50, .off), charged], at: 599, since: 50),
        OffRow(observations: [bought(), info(50, .off), charged], at: 600, since: nil),
    ]

    @Test(arguments: offRows)
    func `is off since the first of the last run that says so`(row: OffRow) {
        #expect(state(row.observations, at: hour(row.at))?.autoRenewOffSince == row.since.map(hour))
    }

    @Test func `is on, for its product, where the renewal is charged already`() {
        let observations = [
            bought(), info(50, .off), bought("2", month, 2 * month, signed: 600) { $0.productId = "basic" },
        ]
        let rows = [599, 600].map { state(observations, at: hour($0)) }
        #expect(rows.map { $0?.willRenew } == [false, true])
        #expect(rows.map { $0?.pendingProductId } == [nil, "basic"])
    }

    @Test func `is not known where no renewal info speaks of the period`() {
        let observations = [bought(), info(0, .off), bought("2", month, 2 * month)]
        let rows = [1, month].map { state(observations, at: hour($0)) }
        #expect(rows.map { $0?.willRenew } == [false, nil])
    }
}

@Suite struct `A commitment` {
    static let charge = bought { fact in
        var commitment = TransactionFact.Commitment()
        (commitment.billingPlanType, commitment.billingPeriodNumber) = (.monthly, 3)
        (commitment.totalBillingPeriods, commitment.commitmentExpiresDate) = (12, hour(10 * month))
        fact.commitment = commitment
    }

    static func renewal(_ signed: Int, _ status: AutoRenewStatus, _ productId: Symbol? = nil) -> Observation {
        info(signed) {
            $0.commitment = committed(status)
            $0.commitment?.commitmentAutoRenewProductId = productId
        }
    }

    static func text(_ observations: [Observation], at: Int) -> String {
        guard let row = state(observations, at: hour(at)) else { return "not listed" }
        guard let commitment = row.commitment else { return "none" }
        let end = commitment.endsAt.map { String($0.milliseconds / 3_600_000 / Int64(month)) } ?? "-"
        let renewal = commitment.willRenew.map { $0 ? "renews" : "ends" } ?? "unknown"
        return "\(end) \(renewal) \(commitment.productId ?? "-") \(commitment.period ?? 0)/\(commitment.of ?? 0)"
    }

    @Test func `has its own end, renewal and product, and the number of its month`() {
        #expect(Self.text([Self.charge], at: 1) == "10 unknown pro 3/12")
        #expect(Self.text([Self.charge, Self.renewal(0, .on)], at: 1) == "10 renews pro 3/12")
        #expect(Self.text([Self.charge, Self.renewal(0, .off, "max")], at: 1) == "10 ends max 3/12")
        #expect(Self.text([bought(), info()], at: 1) == "none")
    }

    @Test func `is not known before its renewal info was signed`() {
        #expect(Self.text([Self.charge, Self.renewal(50, .off)], at: 49) == "10 unknown pro 3/12")
        #expect(Self.text([Self.charge, Self.renewal(50, .off)], at: 50) == "10 ends pro 3/12")
    }

    @Test func `leaves willRenew to the month`() {
        #expect(state([Self.charge, Self.renewal(0, .off)], at: hour(1))?.willRenew == true)
    }
}
