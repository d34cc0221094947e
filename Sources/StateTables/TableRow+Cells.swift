package import AppStoreModel
package import LedgerModel
import PaidService
package import Primitives
package import TableFiles

/// The cells that many tables have.
extension TableRow {
    package mutating func append(text symbol: Symbol?) { append(text: symbol?.text) }
    package mutating func append(text id: AppleID?) { append(text: id?.text) }
    package mutating func append(hex digest: Digest?) { append(hex: digest.map { Array($0.bytes) }) }

    package mutating func append(position: Position) { append(integer: Int64(clamping: position)) }

    /// Appends a list.
    package mutating func append(texts: [String]) {
        append(json: JSONValue.array(texts.map { .string($0) }).canonical())
    }

    /// Appends product_id, subscription_group, storefront and offer: the values of `PurchaseCut.ofTables`.
    package mutating func append(cut values: [String?]) {
        for value in values.dropLast() { append(text: value ?? TableWord.unknown) }
        append(text: (values.last ?? nil) ?? TableWord.none)
    }

    /// Appends lower-case hexadecimal digits.
    package mutating func append(hexText digits: String?) { append(hex: digits.flatMap { Hex.decode($0) }) }

    /// Appends environment, bundle_id and original_transaction_id.
    package mutating func append(key: SubscriptionKey) {
        append(text: key.environment.rawValue)
        append(text: key.bundleId)
        append(text: key.originalTransactionId)
    }

    /// Appends evidence and last_position.
    /// - Parameter positions: ascending.
    package mutating func append(evidence positions: [Position]) {
        append(json: JSONValue.array(positions.map { .integer(Int64(clamping: $0)) }).canonical())
        append(integer: positions.last.map { Int64(clamping: $0) })
    }
}

extension PurchaseCut {
    /// The divisions of sums in tables.
    static let ofTables: [PurchaseCut] = [.product, .group, .storefront, .offer]
}

extension TableColumn {
    package static func text(_ name: String) -> TableColumn { TableColumn(name, .text) }
    package static func instant(_ name: String) -> TableColumn { TableColumn(name, .instant) }
    package static func nullable(_ name: String, _ type: ColumnType = .text) -> TableColumn {
        TableColumn(name, type, isNullable: true)
    }
}

extension TableSchema {
    /// Creates a table about subscriptions: the cells of `append(key:)`, other columns, and those of
    /// `append(evidence:)`.
    /// - Parameter keyCount: the number of columns in the key, those of the subscription included.
    package static func ofSubscriptions(
        _ name: String, version: Int, keyCount: Int, _ columns: [TableColumn]
    ) -> TableSchema {
        let key: [TableColumn] = [.text("environment"), .text("bundle_id"), .text("original_transaction_id")]
        let evidence = [TableColumn("evidence", .json), .nullable("last_position", .int64)]
        return TableSchema(name: name, version: version, keyCount: keyCount, columns: key + columns + evidence)
    }
}
