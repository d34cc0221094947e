import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `The check of a catalogue against transactions` {
    private static let catalog: Catalog = {
        var catalog = Catalog(bundleId: "app")
        var pro = CatalogProduct(id: "pro", kind: .autoRenewable)
        pro.group = "g1"
        catalog.products = [pro, CatalogProduct(id: "unlock", kind: .nonConsumable)]
        return catalog
    }()

    private static func stated(
        _ id: Symbol, _ type: ProductType?, group: Symbol? = nil, in environment: Environment = .production,
        of bundleId: Symbol = "app"
    ) -> StatedProduct {
        StatedProduct(environment: environment, bundleId: bundleId, id: id, group: group, type: type)
    }

    private static func contradictions(_ stated: StatedProduct...) -> [String] {
        CatalogCheck(catalog, stated: Dictionary(uniqueKeysWithValues: stated.map { ($0, 1) })).contradictions
            .map { "\($0.product.text).\($0.member.rawValue) \($0.stated.joined(separator: " "))" }
    }

    @Test func `finds groups and types that no transaction states`() {
        #expect(Self.contradictions(Self.stated("pro", .autoRenewable, group: "g1")) == [])
        #expect(Self.contradictions(Self.stated("pro", nil)) == [])
        #expect(Self.contradictions(Self.stated("pro", .autoRenewable, group: "g2")) == ["pro.group g2"])
        #expect(Self.contradictions(Self.stated("pro", .nonRenewing)) == ["pro.type nonRenewing"])
        #expect(Self.contradictions(Self.stated("unlock", ProductType(rawValue: "New"))) == ["unlock.type New"])
        #expect(
            Self.contradictions(Self.stated("unlock", .autoRenewable, group: "g1"))
                == ["unlock.type autoRenewable", "unlock.group g1"])
    }

    @Test func `leaves the choice to the catalogue where transactions contradict each other`() {
        #expect(
            Self.contradictions(
                Self.stated("pro", .autoRenewable, group: "g1"), Self.stated("pro", .autoRenewable, group: "g2")) == [])
    }

    @Test func `ignores other apps, and environments whose products Xcode defines`() {
        #expect(
            Self.contradictions(
                Self.stated("pro", .consumable, of: "other"), Self.stated("pro", .consumable, in: .xcode)) == [])
        #expect(Self.contradictions(Self.stated("pro", .consumable, in: .sandbox)) == ["pro.type consumable"])
    }

    @Test func `lists the products that the catalogue lacks`() {
        let gift = Self.stated("gift", .consumable), more = Self.stated("more", nil, in: .sandbox)
        let check = CatalogCheck(
            Self.catalog,
            stated: [more: 2, gift: 3, Self.stated("pro", nil): 0, Self.stated("elsewhere", nil, of: "other"): 9])
        #expect(check.unknown.map(\.product) == [gift, more])
        #expect(check.unknown.map(\.keyCount) == [3, 2])
    }
}
