import FactSegments
import LedgerModel
import LedgerTesting
import Primitives
import StateTables
import TableFiles
import Testing

@Suite struct `Inputs of folds` {
    /// A catalogue with every member.
    private static var catalog: Catalog {
        var catalog = Catalog(bundleId: "com.example.app")
        catalog.groups = [.init(id: "21", name: "Pro"), .init(id: "22")]
        var monthly = CatalogProduct(id: "pro.monthly", kind: .autoRenewable)
        (monthly.group, monthly.level, monthly.duration) = ("21", 1, CalendarPeriod(1, .month))
        (monthly.isFamilyShareable, monthly.entitlements) = (true, ["pro", "läsen"])
        monthly.effectiveFrom = Instant(milliseconds: 1_700_000_000_000)
        var offer = CatalogOffer(
            id: "win1", kind: .winBack, payment: .payAsYouGo, period: CalendarPeriod(1, .month), periods: 3)
        offer.priceMilliunits = 990
        monthly.offers = [
            CatalogOffer(kind: .introductory, payment: .freeTrial, period: CalendarPeriod(1, .week), periods: 1), offer,
        ]
        var trial = CatalogProduct(id: "trial", kind: .nonConsumable)
        trial.trial = .init(unlocks: "unlock", duration: CalendarPeriod(14, .day))
        catalog.products = [monthly, trial, CatalogProduct(id: "unlock", kind: .nonConsumable)]
        catalog.paidUntil = .init(version: "3.0", date: Instant(milliseconds: 1_600_000_000_000), entitlements: ["pro"])
        return catalog
    }

    private static func change(_ rates: [(String, String)], _ currency: Symbol, at position: Position) -> RatesChange {
        RatesChange(
            ExchangeRates(
                currency: currency,
                rates: rates.compactMap { day, rate in
                    guard let day = UTCDay(day), let rate = ExchangeRate(rate) else { return nil }
                    return ExchangeRates.Rate(day: day, currency: "EUR", rate: rate)
                }),
            digest: .sha256(of: [1]), recordedAt: Instant(milliseconds: 5), position: position)
    }

    @Test func `are the same after they were written and read`() throws {
        var rules = Rules()
        rules.name = "stricter"
        rules.retention.zone = "Asia/Tokyo"
        let rates = [
            Self.change([("2026-01-02", "1.0352"), ("2026-01-03", "1.0400")], "USD", at: 4),
            Self.change([("2026-01-03", "1.05")], "USD", at: 9), Self.change([("2026-01-03", "0.9")], "CHF", at: 10),
        ]
        let catalogs = [2, 7].map {
            CatalogChange(
                Self.catalog, digest: .sha256(of: [2]), recordedAt: Instant(milliseconds: 7), position: Position($0))
        }
        let inputs = FoldInputs(
            AnalysisContext(
                size: 12, rules: rules, catalogs: ["com.example.app": CatalogHistory(catalogs)],
                rates: RatesHistory(rates)),
            asOf: Instant(milliseconds: 1_770_000_000_123), in: "USD",
            zones: [.init(name: "Asia/Tokyo", tzif: [1, 2, 3])], as: .jsonLines)
        let read = try FoldInputs(inputs.bytes)
        #expect(read.context.size == 12 && read.context.rules == rules)
        #expect(read.context.catalogs == inputs.context.catalogs)
        // The columns need no other currency.
        #expect(read.context.rates == RatesHistory(Array(rates.prefix(2))))
        #expect(read.asOf == inputs.asOf && read.currency == "USD" && read.zones == inputs.zones)
        #expect(read.format == .jsonLines && read.tables.map(\.name) == StateTable.all.map(\.name))
        #expect(read.bytes == inputs.bytes)
    }
}
