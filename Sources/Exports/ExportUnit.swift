import AppStoreModel
import LedgerModel
import PaidService
import Primitives
import SubscriptionLedger

/// Lineages that Apple accounts join, as of one instant. Tables share what is folded for them.
final class ExportUnit {
    let timelines: [SubscriptionKey: Timeline]
    let lineages: [Lineage]
    let asOf: Instant
    let context: AnalysisContext
    let plan: ExportPlan

    init(_ facts: UnitFacts, asOf: Instant, _ context: AnalysisContext, _ plan: ExportPlan) {
        (self.asOf, self.context, self.plan) = (asOf, context, plan)
        timelines = facts.timelines.typed(by: context.catalogs)
        lineages = Lineage.components(of: timelines)
    }

    private(set) lazy var purchaseUnits: [PurchaseUnit] = lineages.purchaseUnits(
        by: .group, at: asOf, catalogs: context.catalogs)
}

/// The names of units in tables: 16 bytes of the SHA-256 of their kind and their least key. They change when units join.
enum UnitID {
    static func bytes(_ kind: String, _ key: SubscriptionKey, group: String? = nil) -> [UInt8] {
        var parts: [JSONValue] = [
            .string(kind), .string(key.environment.rawValue), .string(key.bundleId),
            .string(key.originalTransactionId),
        ]
        if let group { parts.append(.string(group)) }
        return Array(Digest.sha256(of: JSONValue.array(parts).canonical()).bytes.prefix(16))
    }
}
