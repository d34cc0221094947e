import Primitives

/// A field of a catalogue that may differ between two catalogues of an app.
package struct CatalogField: Sendable {
    /// The path, such as `products.pro.monthly.duration`.
    package let name: String
    private let read: @Sendable (Catalog) -> String?
    private let write: @Sendable (inout Catalog, Catalog) -> Void

    /// Returns the value in words; `none` where there is none.
    package func text(in catalog: Catalog) -> String { read(catalog) ?? "none" }

    /// Replaces the field by that of another catalogue.
    package func apply(_ catalog: inout Catalog, _ other: Catalog) { write(&catalog, other) }

    /// Returns the fields in which two catalogues of an app differ, in the order of the file: groups, products of the old
    /// catalogue, products added, `paidUntil`. The names of groups decide nothing.
    package static func changes(from old: Catalog, to new: Catalog) -> [CatalogField] {
        var fields: [CatalogField] = []
        for product in old.products {
            if let other = new.product(product.id) {
                fields += members.filter { $0.read(product) != $0.read(other) }.map { $0.field(of: product) }
            } else {
                fields.append(whole(product))
            }
        }
        fields += new.products.filter { old.product($0.id) == nil }.map(whole)
        if old.paidUntil != new.paidUntil {
            fields.append(
                CatalogField(name: "paidUntil") {
                    $0.paidUntil.map { "\($0)" }
                } write: {
                    $0.paidUntil = $1.paidUntil
                })
        }
        return fields
    }

    /// A product that one of the catalogues lacks.
    private static func whole(_ product: CatalogProduct) -> CatalogField {
        CatalogField(name: "products.\(product.id.text)") { catalog in
            catalog.product(product.id).map { $0.kind.rawValue }
        } write: { catalog, other in
            if let added = other.product(product.id) {
                catalog.products.append(added)
            } else {
                catalog.products.removeAll { $0.id == product.id }
            }
        }
    }

    private struct Member: Sendable {
        let name: String
        let read: @Sendable (CatalogProduct) -> String?
        let write: @Sendable (inout CatalogProduct, CatalogProduct) -> Void

        func field(of product: CatalogProduct) -> CatalogField {
            CatalogField(name: "products.\(product.id.text).\(name)") { catalog in
                catalog.product(product.id).flatMap(read)
            } write: { catalog, other in
                guard let index = catalog.products.firstIndex(where: { $0.id == product.id }),
                    let changed = other.product(product.id)
                else { return }
                write(&catalog.products[index], changed)
            }
        }
    }

    private static let members = [
        Member(name: "type") {
            $0.kind.rawValue
        } write: {
            $0.kind = $1.kind
        },
        Member(name: "group") {
            $0.group?.text
        } write: {
            $0.group = $1.group
        },
        Member(name: "level") {
            $0.level.map { "\($0)" }
        } write: {
            $0.level = $1.level
        },
        Member(name: "duration") {
            $0.duration?.description
        } write: {
            $0.duration = $1.duration
        },
        Member(name: "familyShareable") {
            "\($0.isFamilyShareable)"
        } write: {
            $0.isFamilyShareable = $1.isFamilyShareable
        },
        Member(name: "entitlements") {
            $0.entitlements.map(\.text).joined(separator: " ")
        } write: {
            $0.entitlements = $1.entitlements
        },
        Member(name: "effectiveFrom") {
            $0.effectiveFrom?.iso8601
        } write: {
            $0.effectiveFrom = $1.effectiveFrom
        },
        Member(name: "trial") {
            $0.trial.map { "\($0.unlocks.text) \($0.duration)" }
        } write: {
            $0.trial = $1.trial
        },
        Member(name: "offers") {
            $0.offers.map(\.text).joined(separator: ", ")
        } write: {
            $0.offers = $1.offers
        },
    ]
}

extension CatalogOffer {
    fileprivate var text: String {
        let price = priceMilliunits.map { " at \($0)" } ?? ""
        let name = [id?.text, kind.rawValue].compactMap { $0 }.joined(separator: " ")
        return "\(name) \(payment.rawValue) \(period)x\(periods)\(price)"
    }
}
