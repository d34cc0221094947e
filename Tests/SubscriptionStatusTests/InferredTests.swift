import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The inferred fields` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let inferred: KeyValuePairs<Int, [String]>

        init(_ name: String, _ observations: [Observation], _ inferred: KeyValuePairs<Int, [String]>) {
            testDescription = name
            self.observations = observations
            self.inferred = inferred
        }
    }

    static let status = ["access", "accessUntil", "entitled", "reason", "status"]
    static let renewal = bought("2", month + 50, 2 * month) { $0.transactionReason = .renewal }

    static let rows = [
        Row("are none where Apple states everything", [bought(), info()], [1: [], month - 1: [], month: []]),
        Row("are none after the end", [bought(), info(0, .off)], [month: []]),
        Row("are those of the leeway where auto-renew is not known", [bought()], [month: status]),
        Row(
            "are those of the leeway where auto-renew has a value that is not known",
            [bought(), info(0, .init(rawValue: 7))], [month: status]),
        Row("are those of an implied period", [info(0, renewalDate: month)], [1: (status + ["purchasedAt"]).sorted()]),
        Row(
            "are those of the retry before a renewal after a gap, where there is no access to end",
            [bought(), renewal],
            [month: ["access", "entitled", "reason", "status"]]),
        Row("are those after isUpgraded without a successor", [bought { $0.isUpgraded = true }], [1: status]),
        Row(
            "are what the first renewal info says before it was signed", [bought(), info(10)],
            [1: ["accessUntil", "willRenew"], 10: []]),
        Row(
            "are the pending product too before that", [bought(), info(10) { $0.autoRenewProductId = "basic" }],
            [1: ["accessUntil", "pendingProductId", "willRenew"], 10: []]),
    ]

    @Test(arguments: rows)
    func `follow their rule`(row: Row) {
        for (at, inferred) in row.inferred {
            #expect(state(row.observations, at: hour(at))?.inferred == inferred, "at \(at)")
        }
    }

    @Test func `hold the end before its first statement was signed`() {
        let rows = [100, 500].map { state([bought(signed: 500), info()], at: hour($0)) }
        #expect(rows.map { $0?.inferred.contains("expiresAt") } == [true, false])
    }
}
