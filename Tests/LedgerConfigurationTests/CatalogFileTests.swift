import AppStoreModel
import LedgerConfiguration
import LedgerModel
import Primitives
import Testing

@Suite struct `A catalogue file` {
    private static let complete = """
        version: 1
        bundleId: com.example.app
        groups: [{id: "21000001", name: Pro}]
        products:
          - {id: pro.monthly, type: autoRenewable, group: "21000001", level: 1, duration: P1M, familyShareable: true,
             entitlements: [pro], effectiveFrom: null,
             offers: [{id: null, kind: introductory, payment: freeTrial, period: P1W, periods: 1},
                      {id: win1, kind: winBack, payment: payAsYouGo, period: P1M, periods: 3, priceMilliunits: 990}]}
          - {id: pro.month, type: autoRenewable, group: "21000001", level: 1, duration: P1M, effectiveFrom: 2026-03-01}
          - {id: trial14, type: nonConsumable, trial: {unlocks: unlock, duration: P14D}, entitlements: [pro]}
          - {id: unlock, type: nonConsumable, entitlements: [pro]}
          - {id: season, type: nonRenewing, duration: P90D, entitlements: [season]}
          - {id: coins, type: consumable}
        paidUntil: {version: "3.0", date: null, entitlements: [pro]}
        """

    @Test func `describes products, offers and entitlements`() throws {
        let catalog = try Catalog(yaml: Self.complete, file: "f")
        #expect(catalog.bundleId == "com.example.app")
        #expect(catalog.groups == [Catalog.Group(id: "21000001", name: "Pro")])
        #expect(catalog.products.map(\.id) == ["pro.monthly", "pro.month", "trial14", "unlock", "season", "coins"])
        let monthly = try #require(catalog.product("pro.monthly"))
        #expect(monthly.kind.type == .autoRenewable)
        #expect(monthly.group == "21000001")
        #expect(monthly.level == 1)
        #expect(monthly.duration == CalendarPeriod(1, .month))
        #expect(monthly.isFamilyShareable)
        #expect(monthly.entitlements == ["pro"])
        #expect(monthly.effectiveFrom == nil)
        let trial = CatalogOffer(kind: .introductory, payment: .freeTrial, period: CalendarPeriod(1, .week), periods: 1)
        #expect(monthly.introductoryOffer == trial)
        let winBack = try #require(monthly.offers.last)
        #expect(winBack.id == "win1")
        #expect(winBack.priceMilliunits == 990)
        #expect(catalog.product("pro.month")?.effectiveFrom == Instant(iso8601: "2026-03-01"))
        #expect(
            catalog.product("trial14")?.trial
                == CatalogProduct.Trial(unlocks: "unlock", duration: CalendarPeriod(14, .day)))
        #expect(catalog.product("season")?.duration == CalendarPeriod(90, .day))
        #expect(catalog.paidUntil == Catalog.PaidUntil(version: "3.0", entitlements: ["pro"]))
    }

    @Test func `names the place of a product that contradicts the log`() throws {
        let file = try CatalogFile(text: Self.complete, name: "f")
        func error(_ stated: StatedProduct) throws -> ConfigurationError {
            file.error(try #require(CatalogCheck(file.catalog, stated: [stated: 1]).contradictions.first))
        }
        func stated(_ id: Symbol, _ type: ProductType, _ group: Symbol?) -> StatedProduct {
            StatedProduct(
                environment: .production, bundleId: "com.example.app", id: id, group: group, type: type)
        }
        let group = try error(stated("pro.month", .autoRenewable, "21000002"))
        #expect(group.place == "f:9:49" && group.diagnosis.code == "catalog_invalid")
        #expect(group.diagnosis.expected == "21000002" && group.diagnosis.found == "21000001")
        let type = try error(stated("coins", .nonConsumable, nil))
        #expect(type.place == "f:13:23" && type.diagnosis.expected == "nonConsumable")
        // The product of a file without the member.
        #expect(try error(stated("unlock", .nonConsumable, "21000001")).place == "f:11:5")
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let yaml: String
        let place: String
        let words: String
        var testDescription: String { yaml }

        init(_ yaml: String, _ place: String, _ words: String) {
            (self.yaml, self.place, self.words) = (yaml, place, words)
        }
    }

    private static let subscription = "id: a, type: autoRenewable, group: g, duration: P1M"

    private static func products(_ lines: String...) -> String {
        (["version: 1", "bundleId: b", "groups: [{id: g}]", "products:"] + lines.map { "- {\($0)}" })
            .joined(separator: "\n")
    }

    @Test(arguments: [
        Bad("", "f", "the catalogue is empty"),
        Bad("bundleId: b", "f:1:1", "version"),
        Bad("version: 2\nbundleId: b", "f:1:10", "an integer from 1 to 1"),
        Bad("version: 1", "f:1:1", "bundleId"),
        Bad("version: 1\nbundleId: b\nprices: []", "f:3:1", "prices is unknown"),
        Bad("version: 1\nbundleId: b\ngroups: [{id: g}, {id: g}]", "f:3:24", "a unique id"),
        Bad("version: 1\nbundleId: b\npaidUntil: {entitlements: [pro]}", "f:3:12", "a version or a date"),
        Bad("version: 1\nbundleId: b\npaidUntil: {version: 1.0b, entitlements: [pro]}", "f:3:22", "numbers joined"),
        Bad(products("id: a, type: subscription"), "f:5:17", "one of autoRenewable, nonConsumable"),
        Bad(products("id: a, type: consumable", "id: a, type: consumable"), "f:6:8", "a unique id"),
        Bad(products("id: a, type: autoRenewable, duration: P1M"), "f:5:3", "has no group"),
        Bad(
            products("id: a, type: autoRenewable, group: h, duration: P1M"), "f:5:39", "the id of a group of this file"),
        Bad(products("id: a, type: autoRenewable, group: g, duration: P5M"), "f:5:52", "one of P1W, P1M"),
        Bad(products("id: a, type: nonRenewing, duration: 90"), "f:5:40", "an ISO 8601 duration"),
        Bad(products("id: a, type: consumable, duration: P1M"), "f:5:29", "duration is unknown"),
        Bad(products("id: a, type: nonConsumable, group: g"), "f:5:32", "group is unknown"),
        Bad(products("id: a, type: nonConsumable, effectiveFrom: soon"), "f:5:47", "a date"),
        Bad(products("id: a, type: nonConsumable, entitlements: [p, p]"), "f:5:50", "each name once"),
        Bad(products("id: a, type: nonConsumable, trial: {unlocks: b, duration: P1W}"), "f:5:49", "a product of this"),
        Bad(products("id: a, type: nonConsumable, trial: {unlocks: a, duration: P1W}"), "f:5:49", "another product"),
        Bad(
            products(subscription + ", offers: [{kind: introductory, payment: free, period: P1W}]"), "f:5:96",
            "one of freeTrial, payAsYouGo, payUpFront"),
        Bad(
            products(subscription + ", offers: [{kind: introductory, payment: payAsYouGo, period: P1W}]"), "f:5:116",
            "the duration of the product, P1M"),
        Bad(
            products(subscription + ", offers: [{kind: introductory, id: i, payment: freeTrial, period: P1W}]"),
            "f:5:91", "no id"),
        Bad(
            products(subscription + ", offers: [{kind: promotional, payment: freeTrial, period: P1W}]"), "f:5:66",
            "has no id"),
        Bad(
            products(
                subscription + ", offers: [{kind: introductory, payment: freeTrial, period: P1W}, "
                    + "{kind: introductory, payment: freeTrial, period: P1M}]"), "f:5:121", "one introductory offer"),
        Bad(
            products(
                subscription + ", offers: [{kind: winBack, id: w, payment: freeTrial, period: P1W, priceMilliunits: 1}]"
            ),
            "f:5:122", "priceMilliunits is unknown"),
    ])
    func `is refused where it is wrong`(_ bad: Bad) throws {
        let error = try #require(throws: ConfigurationError.self) { _ = try Catalog(yaml: bad.yaml, file: "f") }
        #expect(error.place == bad.place)
        let text = [error.message, error.expected, error.found].compactMap(\.self).joined(separator: " | ")
        #expect(text.contains(bad.words), "\(text)")
        #expect(error.diagnosis.code == "catalog_invalid")
    }
}
