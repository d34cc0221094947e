import AppStoreModel
package import LedgerModel
import PaidService
import Primitives

/// Lineages that Apple accounts join, as of one instant. Tables share what is folded for them.
final class ExportUnit {
    let timelines: [SubscriptionKey: Timeline]
    let lineages: [Lineage]
    let question: ExportQuestion
    let history: CustomerHistory

    init(_ facts: UnitFacts, _ question: ExportQuestion) {
        self.question = question
        history = facts.customers
        timelines = facts.timelines.typed(by: question.context.catalogs)
        lineages = Lineage.components(of: timelines)
    }

    var asOf: Instant { question.asOf }
    var context: AnalysisContext { question.context }

    private lazy var directory = history.directory(below: context.size)

    /// Returns the customers that own a subscription at the instant, ordered. The bearer of a token that nobody mapped is
    /// none.
    func customers(of key: SubscriptionKey) -> [CustomerHandle] {
        guard let timeline = timelines[key] else { return [] }
        let owners = Ownership(
            history.evidence(of: key, timeline, below: context.size), at: asOf, directory: directory,
            rule: context.rules.customers.claimConflict
        ).owners
        let handles = owners.compactMap { owner -> CustomerHandle? in
            guard case .customer(let handle) = owner else { return nil }
            return handle
        }
        return handles.sorted { $0.value < $1.value }
    }

    private(set) lazy var purchaseUnits = purchaseUnits(dividedBy: .group)
    private lazy var productUnits = purchaseUnits(dividedBy: .product)

    func purchaseUnits(by scope: PurchaseUnit.Scope) -> [PurchaseUnit] {
        switch scope {
        case .group: purchaseUnits
        case .product: productUnits
        }
    }

    private func purchaseUnits(dividedBy scope: PurchaseUnit.Scope) -> [PurchaseUnit] {
        lineages.purchaseUnits(by: scope, at: asOf, catalogs: context.catalogs)
    }
}

/// The names of units in tables: 16 bytes of the SHA-256 of their kind and their least key. They change when units join.
package enum UnitID {
    static func bytes(_ kind: String, _ key: SubscriptionKey, group: String? = nil) -> [UInt8] {
        Array(digest(kind, key, group: group).bytes.prefix(16))
    }

    /// Returns the name as a number of the same order.
    package static func name(_ kind: String, _ key: SubscriptionKey) -> UInt128 { digest(kind, key).firstHalf }

    private static func digest(_ kind: String, _ key: SubscriptionKey, group: String? = nil) -> Digest {
        var parts: [JSONValue] = [
            .string(kind), .string(key.environment.rawValue), .string(key.bundleId),
            .string(key.originalTransactionId),
        ]
        if let group { parts.append(.string(group)) }
        return Digest.sha256(of: JSONValue.array(parts).canonical())
    }
}
