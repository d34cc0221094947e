package import Primitives

extension Catalog {
    /// The catalogue with the names of the file. Members without a value are omitted.
    package var json: JSONValue {
        .members([
            ("version", .integer(1)), ("bundleId", .string(bundleId.text)), ("groups", .array(groups.map(\.json))),
            ("products", .array(products.map(\.json))), ("paidUntil", paidUntil?.json),
        ])
    }
}

extension Catalog.Group {
    /// The group with the names of the file.
    package var json: JSONValue { .members([("id", .string(id.text)), ("name", name.map { .string($0) })]) }
}

extension Catalog.PaidUntil {
    fileprivate var json: JSONValue {
        .members([
            ("version", version.map { .string($0) }), ("date", date.map { .string($0.iso8601) }),
            ("entitlements", .texts(entitlements)),
        ])
    }
}

extension CatalogProduct {
    /// The product with the names of the file.
    package var json: JSONValue {
        .members([
            ("id", .string(id.text)), ("type", .string(kind.rawValue)), ("group", group.map { .string($0.text) }),
            ("level", level.map { .integer(Int64($0)) }), ("duration", duration.map { .string($0.description) }),
            ("familyShareable", isFamilyShareable ? .bool(true) : nil),
            ("entitlements", entitlements.isEmpty ? nil : .texts(entitlements)),
            ("effectiveFrom", effectiveFrom.map { .string($0.iso8601) }),
            ("offers", offers.isEmpty ? nil : .array(offers.map(\.json))), ("trial", trial?.json),
        ])
    }
}

extension CatalogProduct.Trial {
    fileprivate var json: JSONValue {
        .members([("unlocks", .string(unlocks.text)), ("duration", .string(duration.description))])
    }
}

extension CatalogOffer {
    fileprivate var json: JSONValue {
        .members([
            ("id", id.map { .string($0.text) }), ("kind", .string(kind.rawValue)),
            ("payment", .string(payment.rawValue)), ("period", .string(period.description)),
            ("periods", .integer(Int64(periods))), ("priceMilliunits", priceMilliunits.map { .integer($0) }),
        ])
    }
}

extension JSONValue {
    fileprivate static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    fileprivate static func texts(_ symbols: [Symbol]) -> JSONValue { .array(symbols.map { .string($0.text) }) }
}
