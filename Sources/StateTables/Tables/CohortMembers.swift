import AppStoreModel
import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The members of cohorts under every definition.
    static let cohortMembers = StateTable(
        TableSchema(
            name: "cohort_members", version: 1, keyCount: 5,
            columns: [
                .text("definition"), .text("environment"), .text("bundle_id"), TableColumn("unit_id", .hex),
                .text("product_id"), .nullable("anchor_at", .instant), .text("duration"), .text("subscription_group"),
                .text("storefront"), .text("offer"), TableColumn("evidence", .json),
                .nullable("last_position", .int64),
            ]),
        .units { unit, rows in
            for question in unit.question.retention {
                for purchases in unit.purchaseUnits(by: question.scope) {
                    guard let member = CohortMember(purchases, question) else { continue }
                    try rows.add { $0.append(member, question) }
                }
            }
        })
}

extension TableRow {
    fileprivate mutating func append(_ member: CohortMember, _ question: RetentionQuestion) {
        let (unit, anchor) = (member.unit, member.anchor)
        append(text: question.rules.definition.rawValue)
        append(text: unit.id.lineage.environment.rawValue)
        append(text: unit.id.lineage.bundleId)
        append(hex: UnitID.bytes(of: unit))
        append(text: question.scope == .product ? unit.id.productId?.text ?? TableWord.unknown : TableWord.all)
        append(instant: anchor?.start)
        append(text: anchor?.duration?.description ?? TableWord.unknown)
        append(text: unit.group?.text ?? TableWord.unknown)
        append(text: anchor?.storefront?.text ?? TableWord.unknown)
        append(text: anchor?.offer?.name ?? TableWord.none)
        append(evidence: (anchor ?? unit.purchases.first).map { [$0.position] } ?? [])
    }
}
