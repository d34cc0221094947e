import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A step field` {
    static let fold = LedgerModelTests.fold([
        renewalInfo(signed: 10, renewalDate: nil) { $0.autoRenewStatus = .on },
        renewalInfo(signed: 20, renewalDate: nil) { $0.autoRenewStatus = .off },
    ])

    @Test(arguments: [
        (0, AutoRenewStatus.on, true), (9, .on, true), (10, .on, false), (19, .on, false), (20, .off, false),
        (99, .off, false),
    ])
    func `holds the newest statement made by then, before the first the first`(
        at: Int, value: AutoRenewStatus, isInferred: Bool
    ) throws {
        let found = try #require(Self.fold.renewalInfo.value(at: minute(at)))
        #expect(found.statement.value.autoRenewStatus == value)
        #expect(found.isInferred == isInferred)
    }

    @Test func `holds nothing without a statement`() {
        #expect(LedgerModelTests.fold([]).renewalInfo.value(at: minute(0)) == nil)
    }

    @Test func `decides equal times by the digest, not by arrival`() throws {
        let twins = [
            renewalInfo(signed: 10, renewalDate: nil, position: 1) { $0.autoRenewStatus = .on },
            renewalInfo(signed: 10, renewalDate: nil, position: 2) { $0.autoRenewStatus = .off },
        ]
        let greatest = twins.max { $0.source.name < $1.source.name }
        for order in [twins, twins.reversed()] {
            let found = LedgerModelTests.fold(order).renewalInfo.value(at: minute(10))
            #expect(found?.statement.source.name == greatest?.source.name)
        }
    }

    @Test func `takes the app account token from whoever states one last`() {
        let subscription = LedgerModelTests.fold([
            transaction("1", 0, 30, signed: 0) { $0.appAccountToken = "A" },
            renewalInfo(signed: 10, renewalDate: nil),
            renewalInfo(signed: 20, renewalDate: nil) { $0.appAccountToken = "B" },
        ])
        let tokens = [-5, 15, 20].map { subscription.appAccountToken.value(at: minute($0))?.statement.value }
        #expect(tokens == ["A", "A", "B"])
    }
}
