import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A step field` {
    static func stated(_ token: String, at signed: Int, position: Position = 0) -> Observation {
        renewalInfo(signed: signed, renewalDate: nil, position: position) { $0.appAccountToken = token }
    }

    static let token = fold([stated("A", at: 10), stated("B", at: 20)]).appAccountToken

    @Test(arguments: [
        (0, "A", true), (9, "A", true), (10, "A", false), (19, "A", false), (20, "B", false), (99, "B", false),
    ])
    func `holds the newest statement made by then, before the first the first`(
        at: Int, value: String, isInferred: Bool
    ) throws {
        let found = try #require(Self.token.value(at: minute(at)))
        #expect(found.statement.value == value)
        #expect(found.isInferred == isInferred)
    }

    @Test func `holds nothing without a statement`() {
        #expect(fold([]).appAccountToken.value(at: minute(0)) == nil)
    }

    @Test func `decides equal times by the digest, not by arrival`() {
        let twins = [Self.stated("A", at: 10, position: 1), Self.stated("B", at: 10, position: 2)]
        let greatest = twins.max { $0.source.name < $1.source.name }
        for order in [twins, twins.reversed()] {
            let found = fold(order).appAccountToken.value(at: minute(10))
            #expect(found?.statement.source.name == greatest?.source.name)
        }
    }

    @Test func `takes the app account token from the transaction or renewal info that states one last`() {
        let subscription = fold([
            transaction("1", 0, 30, signed: 0) { $0.appAccountToken = "A" },
            renewalInfo(signed: 10, renewalDate: nil),
            renewalInfo(signed: 20, renewalDate: nil) { $0.appAccountToken = "B" },
        ])
        let tokens = [-5, 15, 20].map { subscription.appAccountToken.value(at: minute($0))?.statement.value }
        #expect(tokens == ["A", "A", "B"])
    }
}
