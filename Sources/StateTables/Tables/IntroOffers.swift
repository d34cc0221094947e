import AppStoreModel
import IntroOffers
import LedgerModel
import Primitives
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// Whether each Apple account used the introductory offer of a subscription group.
    static let introOffers = StateTable(
        TableSchema(
            name: "intro_offers", version: 1, keyCount: 4,
            columns: [
                .text("environment"), .text("bundle_id"), TableColumn("account_id", .hex), .text("subscription_group"),
                .nullable("consumed", .boolean), .text("reason"), .nullable("consumed_at", .instant),
                .nullable("transaction_id"), .nullable("product_id"), TableColumn("evidence", .json),
                .nullable("last_position", .int64),
            ]),
        .units { unit, rows in
            for account in unit.lineages.groupedByAccounts() {
                guard let first = account.flatMap(\.subscriptions).map(\.key).min() else { continue }
                for use in account.introUses(in: unit) {
                    try rows.add { $0.append(use, of: first) }
                }
            }
        })
}

/// The use of the introductory offer of one group by one Apple account.
private struct IntroUse {
    let group: SubscriptionGroup?
    let eligibility: IntroEligibility
    /// The purchase that used the offer first.
    let first: AccountPurchase?

    /// Nil if earlier purchases may be missing, or if the group of one is not known.
    var isConsumed: Bool? {
        if first != nil { return true }
        return eligibility.reason.isUnknown || eligibility.decidedBy?.isHistoryIncomplete == true ? nil : false
    }

    var evidence: [Position] { [(first ?? eligibility.decidedBy)?.position].compactMap(\.self) }
}

extension IntroEligibility.Reason {
    fileprivate var isUnknown: Bool { self == .groupUnknown || self == .historyIncomplete }
}

extension [Lineage] {
    /// Returns the uses of an Apple account, one for each group of its purchases.
    fileprivate func introUses(in unit: ExportUnit) -> [IntroUse] {
        let rules = unit.context.rules
        let offers = IntroOffers(
            self, namedBy: Set(flatMap(\.subscriptions).map(\.key)), states(at: unit.asOf, rules: rules),
            at: unit.asOf, rules: rules.intro, catalogs: unit.context.catalogs)
        return offers.groups.map { group in
            let eligibility = offers.eligibility(in: group)
            let own = offers.purchases.first { $0.group == group && $0.consumes }
            return IntroUse(group: group, eligibility: eligibility, first: own)
        }
    }
}

extension TableRow {
    fileprivate mutating func append(_ use: IntroUse, of account: SubscriptionKey) {
        append(text: account.environment.rawValue)
        append(text: account.bundleId)
        append(hex: UnitID.bytes("account", account))
        append(text: use.group?.id.text ?? TableWord.unknown)
        append(boolean: use.isConsumed)
        append(text: use.eligibility.reason.rawValue)
        append(instant: use.first?.start)
        append(text: use.first?.transactionId)
        append(text: use.first?.productId)
        append(evidence: use.evidence)
    }
}
