import Differences
import LedgerModel
import Primitives
import Testing

@Suite struct `The attribution of a difference` {
    private static func attribution(_ change: (inout Rules) -> Void) -> Attribution {
        var new = Rules()
        change(&new)
        return Attribution(
            [AssumedChange](from: Rules(), to: new), from: Assumptions(rules: Rules(), catalogs: [:]))
    }

    private static let two = attribution { rules in
        rules.revenue.standardRate = 8_000
        rules.access.ownGraceDays = 3
        rules.access.limitedAccessDays = 5
    }

    @Test func `applies changed rules in the order of the file`() {
        #expect(
            Self.two.changes.map { "\($0.name) \($0.before) \($0.after)" } == [
                "access.ownGraceDays 0 3", "access.limitedAccessDays 0 5", "revenue.standardRate 7000 8000",
            ])
        let last = Self.two.assumptions[Self.two.last].rules
        #expect(last.access.limitedAccessDays == 5 && last.revenue.standardRate == 8_000)
    }

    @Test func `leaves out the changes that a table does not read`() {
        let revenue = Self.two.restricted(to: [.revenue])
        #expect(revenue.changes.map(\.name) == ["revenue.standardRate"])
        #expect(revenue.assumptions.map(\.rules.access.ownGraceDays) == [0, 0])
        #expect(Self.two.restricted(to: [.owners]).changes.isEmpty)
        #expect(Self.two.restricted(to: [.owners]).moves { "\($0)" }.isEmpty)
    }

    @Test func `has steps that sum to the difference`() {
        let attribution = Self.two
        func days(_ index: Int) -> Int64 {
            let rules = attribution.assumptions[index].rules.access
            return Int64(rules.ownGraceDays * 100 + rules.limitedAccessDays)
        }
        let moves = attribution.moves(ofNumber: days)
        #expect(moves.map { [$0.before, $0.after] } == [[0, 300], [300, 305]])
        #expect(moves.allSatisfy { !$0.isTogether })
    }

    @Test func `marks what a change alone moves otherwise`() {
        let attribution = Self.two
        func product(_ index: Int) -> Int64 {
            let rules = attribution.assumptions[index].rules.access
            return Int64((1 + rules.ownGraceDays) * rules.limitedAccessDays)
        }
        let moves = attribution.moves(ofNumber: product)
        // Alone, the second change moves 0 to 5.
        #expect(moves.map { [$0.before, $0.after] } == [[0, 20]])
        #expect(moves.map(\.isTogether) == [true])
        #expect(moves.map { attribution.changes[$0.change].name } == ["access.limitedAccessDays"])
    }

    @Test func `of catalogues names the fields that differ`() {
        var old = Catalog(bundleId: "app")
        var monthly = CatalogProduct(id: "monthly", kind: .autoRenewable)
        (monthly.group, monthly.duration) = ("g", CalendarPeriod(1, .month))
        old.products = [monthly, CatalogProduct(id: "old", kind: .consumable)]
        var new = old
        new.products[0].duration = CalendarPeriod(1, .week)
        new.products[0].entitlements = ["pro"]
        new.products[1] = CatalogProduct(id: "new", kind: .nonConsumable)
        new.paidUntil = Catalog.PaidUntil(version: "2.0", entitlements: ["pro"])
        let attribution = Attribution(
            [AssumedChange](from: old, to: new), from: Assumptions(rules: Rules(), catalogs: [:]))
        #expect(
            attribution.changes.map(\.name) == [
                "catalog.products.monthly.duration", "catalog.products.monthly.entitlements", "catalog.products.old",
                "catalog.products.new", "catalog.paidUntil",
            ])
        #expect([attribution.changes[0].before, attribution.changes[0].after] == ["P1M", "P1W"])
    }

    @Test func `of catalogues finds an offer of another kind, and keeps the old one until the new one is in effect`() {
        var old = Catalog(bundleId: "app")
        var monthly = CatalogProduct(id: "m", kind: .autoRenewable)
        monthly.offers = [
            CatalogOffer(id: "p1", kind: .offerCode, payment: .freeTrial, period: CalendarPeriod(1, .week), periods: 1)
        ]
        old.products = [monthly]
        var new = old
        new.products[0].offers[0].kind = .promotional
        let july = Instant(milliseconds: 1_782_864_000_000)
        new.products[0].effectiveFrom = july
        var start = Assumptions(rules: Rules(), catalogs: [:])
        start.applyOld(old)
        let attribution = Attribution([AssumedChange](from: old, to: new), from: start)
        #expect(
            attribution.changes.map(\.name) == ["catalog.products.m.effectiveFrom", "catalog.products.m.offers"])
        let history = attribution.assumptions[attribution.last].catalogs["app"]
        #expect(history?.product("m", at: july)?.offers[0].kind == .promotional)
        #expect(history?.product("m", at: july.advanced(byMilliseconds: -1))?.offers[0].kind == .offerCode)
    }

    @Test func `applies each field of a catalogue to the one before, or to the old one alone`() {
        var old = Catalog(bundleId: "app")
        old.products = [CatalogProduct(id: "a", kind: .nonConsumable), CatalogProduct(id: "b", kind: .nonConsumable)]
        var new = old
        new.products[0].entitlements = ["x"]
        new.products[1].entitlements = ["y"]
        var start = Assumptions(rules: Rules(), catalogs: [:])
        start.applyOld(old)
        let attribution = Attribution([AssumedChange](from: old, to: new), from: start)
        let entitlements = attribution.assumptions.map { assumptions in
            assumptions.catalogs["app"]?.newest?.catalog.products.map { $0.entitlements.map(\.text).joined() } ?? []
        }
        #expect(entitlements == [["", ""], ["x", ""], ["x", "y"], ["", "y"]])
    }
}
