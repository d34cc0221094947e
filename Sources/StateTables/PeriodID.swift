import AppStoreModel
import LedgerModel
import PaidService
import Primitives

/// The values of columns that are never null.
package enum TableWord {
    package static let unknown = "unknown"
    package static let none = "none"
    package static let all = "all"
}

extension Period {
    /// The name of the period among those of its key and product: `w:` and the line item, `t:` and the transaction, `o:`
    /// and the key's id for a non-consumable, or `i:` and the digest of the statement that implies it. `.2` follows for
    /// the second purchase of an identity.
    func id(in key: SubscriptionKey) -> String {
        guard let name = purchaseName else { return "i:" + (firstSource?.name.digest.hex ?? TableWord.unknown) }
        let identity =
            switch name.identity {
            case .lineItem(_, let item): "w:" + item.text
            case .transaction(let id): "t:" + id.text
            case .nonConsumable: "o:" + key.originalTransactionId
            }
        return name.number == 1 ? identity : "\(identity).\(name.number)"
    }
}

extension UnitID {
    /// A unit that is one product of a key is named by the key.
    static func bytes(of unit: PurchaseUnit) -> [UInt8] {
        bytes("unit", unit.id.key ?? unit.id.lineage, group: unit.group?.text ?? TableWord.unknown)
    }
}
