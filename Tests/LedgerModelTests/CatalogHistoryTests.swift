import LedgerModel
import Primitives
import Testing

@Suite struct `The catalogues of an app` {
    /// A change that describes products, each by its level and the day from which the description is in effect.
    private static func change(
        _ position: Position, _ products: [(id: Symbol, level: Int, from: String?)]
    ) throws -> CatalogChange {
        var catalog = Catalog(bundleId: "com.example.app")
        catalog.products = try products.map { id, level, from in
            var product = CatalogProduct(id: id, kind: .autoRenewable)
            product.level = level
            product.effectiveFrom = try from.map { try #require(Instant(iso8601: $0)) }
            return product
        }
        return CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: position)
    }

    private static func history() throws -> CatalogHistory {
        CatalogHistory([
            try change(30, [("pro", 3, "2026-06-01"), ("new", 1, "2026-05-01")]),
            try change(10, [("pro", 1, nil), ("old", 1, nil)]),
            try change(20, [("pro", 2, "2026-03-01"), ("old", 2, "2026-02-01")]),
        ])
    }

    @Test(arguments: [
        // Before the second and the third description take effect, the one before is in effect.
        ("pro", "2026-02-28", Position.max, 1), ("pro", "2026-03-01", .max, 2), ("pro", "2026-05-31", .max, 2),
        ("pro", "2026-06-01", .max, 3),
        // A product begins with its first description, and ends with the catalogue that leaves it out.
        ("new", "2026-04-30", .max, nil), ("new", "2026-05-01", .max, 1), ("old", "2026-06-01", .max, nil),
        // Known at an earlier log size.
        ("pro", "2026-06-01", 30, 2), ("pro", "2026-06-01", 20, 1), ("old", "2026-06-01", 30, 2),
        ("old", "2026-01-01", 30, 1), ("new", "2026-06-01", 30, nil), ("pro", "2026-06-01", 10, nil),
        ("other", "2026-06-01", .max, nil),
    ])
    func `describe a product as of an instant, known at a log size`(
        _ id: String, _ day: String, _ size: Position, _ level: Int?
    ) throws {
        let known = try Self.history().known(at: size)
        #expect(known.product(Symbol(id), at: try #require(Instant(iso8601: day)))?.level == level)
    }

    @Test func `do not depend on the order in which they are given`() throws {
        let changes = [try Self.change(1, [("a", 1, nil)]), try Self.change(2, [("a", 2, nil)])]
        #expect(CatalogHistory(changes) == CatalogHistory(changes.reversed()))
        #expect(CatalogHistory(changes).newest?.catalog.product("a")?.level == 2)
        #expect(CatalogHistory().newest == nil)
    }
}
