import AppStoreModel
package import Primitives

/// The comparison of a catalogue with the products that the transactions of the app state.
package struct CatalogCheck: Hashable, Sendable {
    /// A member of a catalogue product that no transaction of the product confirms.
    package struct Contradiction: Hashable, Sendable {
        package enum Member: String, Sendable { case group, type }

        package let product: Symbol
        package let member: Member
        /// The values that transactions state, ascending, as the file spells them.
        package let stated: [String]
    }

    /// Ordered like the products of the catalogue.
    package private(set) var contradictions: [Contradiction] = []
    /// The products that are not in the catalogue, ordered by id, with the number of their purchase histories.
    package private(set) var unknown: [UnknownProduct] = []

    package struct UnknownProduct: Hashable, Sendable {
        package let product: StatedProduct
        /// The number of subscription keys with a transaction of the product.
        package let keyCount: Int
    }

    /// - Parameter stated: the products with the number of their keys. Those of other apps are ignored, and so are those
    ///   of environments other than Production and Sandbox, whose products Xcode defines.
    package init(_ catalog: Catalog, stated: [StatedProduct: Int]) {
        let stated = stated.filter {
            $0.key.bundleId == catalog.bundleId && [.production, .sandbox].contains($0.key.environment)
        }
        let known = Dictionary(grouping: stated.keys, by: \.id)
        for product in catalog.products {
            guard let statements = known[product.id] else { continue }
            add(product.id, .type, product.kind.rawValue, statements.map { $0.type.map(Self.word) })
            add(product.id, .group, product.group?.text, statements.map { $0.group?.text })
        }
        unknown = stated.filter { catalog.product($0.key.id) == nil }
            .map { UnknownProduct(product: $0.key, keyCount: $0.value) }
            .sorted {
                ($0.product.id.text, $0.product.environment.rawValue) < (
                    $1.product.id.text, $1.product.environment.rawValue
                )
            }
    }

    private mutating func add(
        _ product: Symbol, _ member: Contradiction.Member, _ value: String?, _ statements: [String?]
    ) {
        let stated = Set(statements.compactMap { $0 })
        // Transactions that contradict each other leave the choice to the catalogue.
        guard !stated.isEmpty, value.map({ !stated.contains($0) }) ?? true else { return }
        contradictions.append(Contradiction(product: product, member: member, stated: stated.sorted()))
    }

    /// The type as the file spells it.
    private static func word(of type: ProductType) -> String {
        CatalogProduct.Kind.allCases.first { $0.type == type }?.rawValue ?? type.rawValue
    }
}
