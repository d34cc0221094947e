import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A lineage` {
    /// A key with one transaction of this account and group.
    struct Member: Sendable {
        var id: String
        var account: String?
        var group: String?
        var previous: String?
        var environment = Environment.production
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let members: [Member]
        let lineages: [[String]]

        init(_ name: String, _ members: [Member], _ lineages: [[String]]) {
            testDescription = name
            self.members = members
            self.lineages = lineages
        }
    }

    static let rows = [
        Row("is one key by itself", [Member(id: "1"), Member(id: "2")], [["1"], ["2"]]),
        Row("joins a key and its predecessor", [Member(id: "2", previous: "1"), Member(id: "1")], [["1", "2"]]),
        Row(
            "joins keys that name the same predecessor, known or not",
            [Member(id: "3", previous: "1"), Member(id: "2", previous: "1")], [["2", "3"]]),
        Row(
            "joins one account within one group",
            [
                Member(id: "1", account: "A", group: "G"), Member(id: "2", account: "A", group: "G"),
                Member(id: "3", account: "A", group: "H"), Member(id: "4", account: "B", group: "G"),
                Member(id: "5", account: "A"),
            ],
            [["1", "2"], ["3"], ["4"], ["5"]]),
        Row(
            "joins over several edges",
            [
                Member(id: "1", account: "A", group: "G"), Member(id: "2", account: "A", group: "G", previous: "3"),
                Member(id: "3"), Member(id: "4", previous: "2"),
            ],
            [["1", "2", "3", "4"]]),
        Row(
            "never joins environments",
            [
                Member(id: "1", account: "A", group: "G"),
                Member(id: "2", account: "A", group: "G", previous: "1", environment: .sandbox),
            ],
            [["1"], ["2"]]),
    ]

    static func timelines(_ members: [Member]) -> [SubscriptionKey: Timeline] {
        let pairs = members.map { member in
            let key = SubscriptionKey(
                environment: member.environment, bundleId: "com.example.app", originalTransactionId: member.id)
            let timeline = Timeline([
                transaction(member.id, 0, 30) {
                    $0.appTransactionId = member.account.map { AppleID($0) }
                    $0.subscriptionGroupIdentifier = member.group.map { Symbol($0) }
                    $0.previousOriginalTransactionId = member.previous.map { AppleID($0) }
                }
            ])
            return (key, timeline)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        for members in [row.members, row.members.reversed()] {
            let lineages = Lineage.components(of: Self.timelines(members))
            #expect(lineages.map { $0.subscriptions.map(\.key.originalTransactionId) } == row.lineages)
        }
    }

    @Test func `takes the account from renewal info too`() {
        let other = SubscriptionKey(environment: .production, bundleId: "com.example.app", originalTransactionId: "2")
        let timelines = [
            key: Timeline([
                transaction("1", 0, 30) { $0.subscriptionGroupIdentifier = "G" },
                renewalInfo(signed: 0, renewalDate: 30) { $0.appTransactionId = "A" },
            ]),
            other: Timeline([
                transaction("2", 0, 30) { ($0.subscriptionGroupIdentifier, $0.appTransactionId) = ("G", "A") }
            ]),
        ]
        #expect(Lineage.components(of: timelines).count == 1)
    }

    @Test func `has an incomplete history until the transaction that began it is known`() {
        func isIncomplete(_ observations: [Observation]) -> Bool {
            Lineage.components(of: [key: Timeline(observations)])[0].isHistoryIncomplete
        }
        #expect(isIncomplete([transaction("2", 30, 60)]))
        #expect(isIncomplete([renewalInfo(signed: 0, renewalDate: 30)]))
        #expect(!isIncomplete([transaction("2", 30, 60), transaction("1", 0, 30)]))
    }
}
