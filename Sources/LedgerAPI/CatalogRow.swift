package import Primitives

/// The answer of `catalog show` and `catalog apply`.
package struct CatalogAnswer: Sendable {
    /// Whether the command applied a catalogue; nil for `show`.
    package var applied: Bool?
    package var knownAt: UInt64
    /// The newest catalogue of each app, ordered by bundle id.
    package var catalogs: [CatalogRow]

    package init(applied: Bool?, knownAt: UInt64, catalogs: [CatalogRow]) {
        self.applied = applied
        self.knownAt = knownAt
        self.catalogs = catalogs
    }
}

extension CatalogAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            (applied.map { [.init("applied", .bool($0))] } ?? []) + [
                .init("knownAt", JSONValue(position: knownAt)), .init("catalogs", catalogs.json),
            ])
    }
}

/// The catalogue of an app, and the event that applied it.
package struct CatalogRow: Sendable {
    /// The SHA-256 of the text of the file.
    package var digest: Digest
    package var position: UInt64
    package var appliedAt: Instant
    /// The catalogue with the names of the file.
    package var catalog: JSONValue
    /// The products of transactions that the catalogue lacks, ordered by id. They name no entitlement.
    package var unknownProducts: [UnknownProductRow]

    package init(
        digest: Digest, position: UInt64, appliedAt: Instant, catalog: JSONValue, unknownProducts: [UnknownProductRow]
    ) {
        self.digest = digest
        self.position = position
        self.appliedAt = appliedAt
        self.catalog = catalog
        self.unknownProducts = unknownProducts
    }
}

extension CatalogRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "digest": .string(digest.hex), "position": JSONValue(position: position),
            "appliedAt": JSONValue(appliedAt), "catalog": catalog, "unknownProducts": unknownProducts.json,
        ])
    }
}

/// A product of transactions that the catalogue of its app lacks.
package struct UnknownProductRow: Hashable, Sendable {
    package var productId: String
    package var environment: String
    /// Apple's product type.
    package var type: String?
    package var group: String?
    /// The number of original transaction ids with a transaction of the product.
    package var originalTransactionIds: Int

    package init(productId: String, environment: String, type: String?, group: String?, originalTransactionIds: Int) {
        self.productId = productId
        self.environment = environment
        self.type = type
        self.group = group
        self.originalTransactionIds = originalTransactionIds
    }
}

extension UnknownProductRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "productId": .string(productId), "environment": .string(environment), "type": JSONValue(type),
            "group": JSONValue(group), "originalTransactionIds": JSONValue(originalTransactionIds),
        ])
    }
}
