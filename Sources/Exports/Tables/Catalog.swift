import AppStoreModel
import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The products and offers of each catalogue that was applied. A product has the offer_key `none`.
    static let catalog = ExportTable(
        TableSchema(
            name: "catalog", version: 1, keyCount: 4,
            columns: [
                TableColumn("position", .int64), .text("bundle_id"), .text("product_id"), .text("offer_key"),
                .text("type"), .nullable("subscription_group"), .nullable("level", .int32), .nullable("duration"),
                TableColumn("family_shareable", .boolean), TableColumn("entitlements", .json),
                .nullable("effective_from", .instant), .nullable("offer_kind"), .nullable("payment"),
                .nullable("period"), .nullable("periods", .int32), .nullable("price", .money),
            ]),
        .ownEvents { events, rows in
            for change in events.catalogs {
                for product in change.catalog.products {
                    rows.add { row in
                        row.append(product, of: change, offerKey: TableWord.none)
                        row.append(offer: nil)
                    }
                    for offer in product.offers {
                        rows.add { row in
                            row.append(product, of: change, offerKey: offer.key)
                            row.append(offer: offer)
                        }
                    }
                }
            }
        })
}

extension CatalogOffer {
    fileprivate var key: String { id.map { "\(kind.rawValue):\($0.text)" } ?? kind.rawValue }
}

extension TableRow {
    fileprivate mutating func append(_ product: CatalogProduct, of change: CatalogChange, offerKey: String) {
        append(position: change.position)
        append(text: change.catalog.bundleId.text)
        append(text: product.id.text)
        append(text: offerKey)
        append(text: product.kind.rawValue)
        append(text: product.group)
        append(integer: product.level.map(Int64.init))
        append(text: product.duration?.description)
        append(boolean: product.isFamilyShareable)
        append(texts: product.entitlements.map(\.text))
        append(instant: product.effectiveFrom)
    }

    fileprivate mutating func append(offer: CatalogOffer?) {
        append(text: offer?.kind.rawValue)
        append(text: offer?.payment.rawValue)
        append(text: offer?.period.description)
        append(integer: offer.map { Int64($0.periods) })
        append(milliunits: offer?.priceMilliunits)
    }
}
