import AppStoreModel
import LedgerModel
import Primitives
import Testing

/// Purchases and renewals in answers of verifyReceipt and notifications of version 1.
struct `Unsigned words in a timeline` {
    private func row(
        _ id: String, _ start: Int, _ end: Int?, at time: Int, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> Observation {
        transaction(id, start, end, signed: time, rank: .verifyReceiptLatest, change)
    }

    private func told(
        _ id: String, _ start: Int, _ end: Int?, at time: Int, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> Observation {
        transaction(id, start, end, signed: time, rank: .notificationV1, change)
    }

    /// An element of `pending_renewal_info`.
    private func element(
        at time: Int, product: Symbol = "monthly", rank: SourceRank = .verifyReceiptLatest,
        _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> Observation {
        var fact = RenewalFact()
        (fact.productId, fact.autoRenewProductId, fact.autoRenewStatus) = (product, product, .on)
        change(&fact)
        return observation(.renewal(fact), signed: time, rank: rank)
    }

    private func removal(at time: Int) -> Observation {
        element(at: time) {
            ($0.productId, $0.autoRenewProductId, $0.autoRenewStatus) = (nil, nil, .off)
            ($0.isRemoved, $0.isInBillingRetryPeriod) = (true, false)
        }
    }

    private func cancelled(_ id: String, _ start: Int, _ end: Int, at time: Int, on date: Int) -> Observation {
        row(id, start, end, at: time) { $0.revocation = .init(revocationDate: minute(date)) }
    }

    // MARK: - verifyReceipt

    @Test(
        arguments: [
            ("one answer", [70], nil), ("two within an hour", [70, 100], nil), ("two, an hour apart", [70, 130], 130),
            ("three, the first and the last an hour apart", [70, 100, 131], 131),
        ] as [(String, [Int], Int?)])
    func `answers lift the cancellation of an answer only by two an hour apart`(
        _ title: String, _ silent: [Int], _ lifted: Int?
    ) {
        let answers = silent.map { row("1", 0, 500, at: $0) }
        let period = fold([cancelled("1", 0, 500, at: 60, on: 50)] + answers).periods[0]
        #expect(period.revocations.map(\.end) == [lifted.map(minute)], "\(title)")
    }

    @Test func `a cancellation between two answers starts the count again`() {
        let observations = [
            cancelled("1", 0, 500, at: 60, on: 50), row("1", 0, 500, at: 70), cancelled("1", 0, 500, at: 80, on: 50),
            row("1", 0, 500, at: 135), row("1", 0, 500, at: 200),
        ]
        #expect(fold(observations).periods[0].revocations.map(\.end) == [minute(200), minute(200)])
    }

    @Test func `answers lift the cancellation of a receipt, but not of a signed transaction`() {
        let answers = [row("1", 0, 500, at: 70), row("1", 0, 500, at: 200)]
        func ends(_ rank: SourceRank) -> [Instant?] {
            let cancelled = transaction("1", 0, 500, signed: 60, rank: rank) {
                $0.revocation = .init(revocationDate: minute(50))
            }
            return fold([cancelled] + answers).periods[0].revocations.map(\.end)
        }
        #expect(ends(.receiptFile) == [minute(200)] && ends(.jws) == [nil])
    }

    @Test func `rows of the receipt inside an answer lift nothing`() {
        let stale = [70, 200].map { transaction("1", 0, 500, signed: $0, rank: .receiptInApp) }
        let period = fold([cancelled("1", 0, 500, at: 60, on: 50)] + stale).periods[0]
        #expect(period.revocations.map(\.end) == [nil])
    }

    @Test func `a cancellation near another purchase is an upgrade where no answer marks upgrades`() {
        let upgrade = row("2", 50, 600, at: 60) { $0.productId = "yearly" }
        let old = fold([cancelled("1", 0, 500, at: 60, on: 50), upgrade]).periods
        #expect(old[0].replacement?.start == minute(50) && old[0].revocations.isEmpty)
        let marked = row("3", 5, 6, at: 60) { $0.isUpgraded = true }
        let new = fold([cancelled("1", 0, 500, at: 60, on: 50), upgrade, marked]).periods
        #expect(new[0].replacement == nil && new[0].revocations.map(\.start) == [minute(50)])
    }

    @Test
    func `a plan change in the day before a renewal is the later purchase where the renewal was cancelled for it`() {
        func latest(cancelledOn date: Int) -> String? {
            fold([
                row("1", 0, 100, at: 99), row("2", 50, 600, at: 99) { $0.productId = "yearly" },
                cancelled("3", 100, 200, at: 99, on: date),
            ]).periods.latest(begunBy: minute(150))?.text
        }
        #expect(latest(cancelledOn: 50) == "yearly 50..<600 #2")
        #expect(latest(cancelledOn: 70) == "monthly 100..<200 #3")
    }

    @Test func `an element speaks of the latest purchase begun, among several of its product's`() {
        let rows = [row("1", 0, 100, at: 60), row("2", 50, 150, at: 60) { $0.productId = "yearly" }]
        let one = fold(rows + [element(at: 60)]).periods
        #expect(one.map(\.renewalInfos.count) == [0, 1])
        let several = [element(at: 60) { $0.isOneOfSeveral = true }]
        #expect(fold(rows + several).periods.map(\.renewalInfos.count) == [1, 0])
    }

    @Test func `an element that Apple no longer states turns the renewal off`() {
        let rows = [row("1", 0, 100, at: 60)]
        let stated = element(at: 60) { $0.isInBillingRetryPeriod = true }
        let removed = fold(rows + [stated, removal(at: 160)]).periods[0].renewal(at: minute(170))
        #expect(removed?.isRemoved == true && removed?.autoRenewStatus == .off)
        #expect(removed?.isInBillingRetryPeriod == false)
        // Nothing is removed that no earlier answer stated; a signed renewal info is no answer.
        let signed = renewalInfo(signed: 60, renewalDate: 100)
        #expect(fold(rows + [signed, removal(at: 160)]).periods[0].renewal(at: minute(170))?.isRemoved == false)
        #expect(fold(rows + [removal(at: 50), stated]).periods[0].renewal(at: minute(170))?.isRemoved == false)
    }

    @Test func `an offer with a name counts before a flag`() {
        let flag = row("1", 0, 100, at: 60) {
            $0.offer = .init(
                offerType: .introductory, offerIdentifier: nil, offerDiscountType: .freeTrial, offerPeriod: nil)
        }
        let named = transaction("1", 0, 100, signed: 50, rank: .receiptFile) {
            $0.offer = .init(
                offerType: .promotional, offerIdentifier: "spring", offerDiscountType: nil, offerPeriod: nil)
        }
        #expect(fold([flag, named]).periods[0].offer?.offerIdentifier == "spring")
        #expect(fold([flag]).periods[0].offer?.offerType == .introductory)
    }

    @Test func `only a source with all purchases completes a history`() {
        #expect(!fold([row("2", 50, 150, at: 60)]).isBeginningKnown)
        #expect(fold([row("2", 50, 150, at: 60) { $0.isOfFullHistory = true }]).isBeginningKnown)
    }

    // MARK: - Version 1

    @Test func `a notification of version 1 opens nothing`() {
        #expect(fold([told("1", 0, 100, at: 0)]).periods.isEmpty)
        let known = transaction("1", 0, 100)
        #expect(fold([known, told("1", 0, 300, at: 10)]).periods[0].end(at: .latest) == minute(100))
        #expect(fold([known, told("2", 100, 200, at: 100)]).periods.map(\.text) == ["monthly 0..<100 #1"])
        let grace = element(at: 101, rank: .notificationV1) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, minute(300))
        }
        let renewal = fold([known, grace]).periods[0].renewal(at: minute(150))
        #expect(renewal?.isInBillingRetryPeriod == true && renewal?.gracePeriodExpiresDate == nil)
        #expect(!fold([told("1", 0, 100, at: 0), transaction("2", 100, 200)]).isBeginningKnown)
    }

    @Test func `an upgrade that only notifications of version 1 state is no refund`() {
        let known = row("1", 0, 100, at: 10)
        func cancelled(at date: Int, isUpgraded: Bool) -> Observation {
            told("1", 0, 100, at: 60) {
                $0.revocation = .init(revocationDate: minute(date))
                $0.isUpgraded = isUpgraded
            }
        }
        let successor = told("2", 50, 400, at: 60)
        #expect(fold([known, cancelled(at: 50, isUpgraded: true)]).periods[0].revocations.isEmpty)
        #expect(fold([known, cancelled(at: 50, isUpgraded: false), successor]).periods[0].revocations.isEmpty)
        #expect(fold([known, cancelled(at: 53, isUpgraded: false), successor]).periods[0].revocations.count == 1)
    }

    @Test func `a notification of version 1 may close`() {
        let known = transaction("1", 0, 100)
        let cancel = told("1", 0, 100, at: 60) { $0.revocation = .init(revocationDate: minute(50)) }
        #expect(fold([known, cancel]).periods[0].revocations.map(\.start) == [minute(50)])
        let lifted = transaction("1", 0, 100, signed: 70)
        #expect(fold([known, cancel, lifted]).periods[0].revocations.map(\.end) == [minute(70)])
    }
}
