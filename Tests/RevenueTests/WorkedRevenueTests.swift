import AppStoreModel
import FoundationEssentials
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Revenue
import Testing

/// The cases of `worked/revenue.json`, worked by hand.
@Suite struct `Revenue, worked by hand` {
    private static let table: JSONView? = TestEnvironment.worked.flatMap { folder in
        FileManager.default.contents(atPath: folder + "/revenue.json").flatMap {
            try? JSONDocument(parsing: Array($0)).root
        }
    }

    /// The units of a case as of an instant.
    private static let catalogs: [Symbol: CatalogHistory] = [
        "app": CatalogHistory([
            CatalogChange(
                Catalog(worked: table?["catalog"]), digest: .zero, recordedAt: .earliest, position: 0)
        ])
    ]

    private static func lineages(_ view: JSONView) -> [Lineage] {
        let purchases = WorkedPurchases(view, number: 1)
        return Lineage.components(of: [purchases.key: purchases.timeline])
    }

    private static func units(_ view: JSONView, at t: Instant) -> [PurchaseUnit] {
        lineages(view).purchaseUnits(by: .group, at: t, catalogs: catalogs)
    }

    private struct Movement: Hashable {
        let kind: String?
        let of: String?
        let at: Instant
        let amount: Int64?
        let currency: String
    }

    @Test func `has the charges of every case`() throws {
        guard let table = Self.table else {
            print("worked tables: absent")
            return
        }
        var count = 0
        for view in table["cases"]?.elements ?? [] {
            guard let expected = view["charges"]?.elements else { continue }
            let charges = Self.units(view, at: .latest).flatMap(\.charges)
            let place = Comment(rawValue: view["id"]?.string ?? "")
            let found = charges.map { charge in
                Movement(
                    kind: charge.kind.rawValue,
                    of: charge.transactionId.map { "\(Int($0.text).map { $0 - 1_000 } ?? 0)" },
                    at: charge.at, amount: charge.amount, currency: charge.currency?.text ?? "USD")
            }
            let wanted = expected.map { row in
                Movement(
                    kind: row["kind"]?.string, of: row["of"]?.string, at: row.instant("at"),
                    amount: row["amount"]?.integer, currency: row["currency"]?.string ?? "USD")
            }
            #expect(Set(found) == Set(wanted), place)
            #expect(found.count == wanted.count, place)
            #expect(
                charges.filter(\.isInferred).count == expected.count { $0["inferred"]?.bool == true }, place)
            if let net = view["net"]?.integer {
                #expect(charges.compactMap(\.amount).reduce(0, +) == net, place)
            }
            count += 1
        }
        #expect(count >= 13)
    }

    @Test func `has the recurring revenue of every case`() throws {
        guard let table = Self.table else { return }
        var count = 0
        for view in table["cases"]?.elements ?? [] {
            for expected in view["mrr"]?.elements ?? [] {
                var amounts = Amounts()
                for unit in Self.units(view, at: expected.instant("at")) { amounts.add(unit.monthlyRevenue(.default)) }
                let place = Comment(rawValue: "\(view["id"]?.string ?? "") at \(expected.instant("at"))")
                let currency = Symbol(expected["currency"]?.string ?? "USD")
                let found = amounts.entries.first { $0.currency == currency }?.amount ?? 0
                #expect(found == expected["amount"]?.integer, place)
                #expect(amounts.entries.allSatisfy { $0.currency == currency }, place)
                #expect(Int64(amounts.unknownCount) == expected["unknown"]?.integer ?? 0, place)
                count += 1
            }
        }
        #expect(count >= 20)
    }

    @Test func `converts amounts at the rate of the sale`() throws {
        guard let table = Self.table else { return }
        var count = 0
        for view in table["cases"]?.elements ?? [] {
            for expected in view["reporting"]?.elements ?? [] {
                let currency = Symbol(expected["currency"]?.string ?? "")
                let reporting = ReportingCurrency(currency, RatesHistory(worked: view["fx"], in: currency))
                let charges = Self.units(view, at: .latest).flatMap { $0.charges(in: reporting) }
                let charge = try #require(charges.first { $0.kind.rawValue == expected["kind"]?.string })
                #expect(charge.amount == expected["amount"]?.integer && charge.currency == currency)
                #expect(charge.exchange?.rate?.day.description == expected["rateOf"]?.string)
                #expect(charge.at == expected.instant("at"))
                count += 1
            }
        }
        #expect(count >= 2)
    }

    private static func movement(_ cases: [JSONView], from t0: Instant, to t1: Instant) -> RevenueMovement {
        var movement = DividedMovement()
        for view in cases {
            let snapshots = [t0, t1].map { RevenueSnapshot(lineages(view), at: $0, catalogs: catalogs, .default) }
            movement.add(snapshots[0], snapshots[1])
        }
        return movement.cells[[]] ?? RevenueMovement()
    }

    private func expect(_ movement: RevenueMovement, _ expected: JSONView, _ place: Comment) {
        let currency = Symbol(expected["currency"]?.string ?? "USD")
        var sum: Int64 = 0
        for kind in RevenueMovement.Kind.allCases {
            let change = movement.changes[kind]?.entries.first { $0.currency == currency }?.amount
            let wanted = expected.members.first { $0.key == kind.rawValue }?.value.integer
            #expect(change == wanted, "\(place) \(kind)")
            sum += change ?? 0
        }
        func amount(_ amounts: Amounts) -> Int64 { amounts.entries.first { $0.currency == currency }?.amount ?? 0 }
        #expect(amount(movement.opening) + sum == amount(movement.closing), place)
        #expect(Int64(movement.inRetry) == expected["inRetry"]?.integer ?? 0, place)
    }

    @Test func `moves as in every case`() throws {
        guard let table = Self.table else { return }
        let cases = table["cases"]?.elements ?? []
        var count = 0
        for view in cases {
            for expected in view["movement"]?.elements ?? [] {
                let movement = Self.movement([view], from: expected.instant("from"), to: expected.instant("to"))
                expect(movement, expected, Comment(rawValue: "\(view["id"]?.string ?? "") \(expected.instant("to"))"))
                count += 1
            }
        }
        #expect(count >= 14)
        let total = try #require(table["total"])
        let ids: Set<String> = ["r01", "r04", "r06", "r08", "r12"]
        let business = cases.filter { ids.contains($0["id"]?.string ?? "") }
        let (from, to) = (try #require(total["from"]), try #require(total["to"]))
        let movement = Self.movement(business, from: from.instant("at"), to: to.instant("at"))
        #expect(movement.opening.entries.map(\.amount) == [from["amount"]?.integer])
        #expect(movement.closing.entries.map(\.amount) == [to["amount"]?.integer])
        expect(movement, try #require(total["movement"]), "total")
    }

    @Test func `has the paid days and the shares of every case`() throws {
        guard let table = Self.table else { return }
        var count = 0
        for view in table["cases"]?.elements ?? [] {
            let rows = (view["rates"]?.elements ?? []) + (view["charges"]?.elements ?? []).filter { $0["rate"] != nil }
            guard !rows.isEmpty else { continue }
            let unit = try #require(Self.units(view, at: .latest).first)
            let rates = ProceedsRates(unit, Rules().revenue)
            for row in rows {
                let id = AppleID("\(1_000 + (Int(row["of"]?.string ?? "") ?? 0))")
                let place = Comment(rawValue: "\(view["id"]?.string ?? "") \(id.text)")
                let sale = try #require(unit.charges.first { $0.transactionId == id && $0.kind == .sale })
                #expect(rates.paidDays(at: sale.at) == row["paidDays"]?.integer, place)
                #expect(rates.rate(ofSaleAt: sale.at).map(Int64.init) == row["rate"]?.integer, place)
                if let proceeds = row["proceedsBeforeTax"]?.integer {
                    #expect(rates.proceeds(of: sale) == proceeds, place)
                }
                count += 1
            }
        }
        #expect(count >= 6)
    }
}

extension RatesHistory {
    /// - Parameter view: the rates of pairs of currencies, such as EURUSD, by day.
    fileprivate init(worked view: JSONView?, in currency: Symbol) {
        let rates = (view?.members ?? []).flatMap { pair in
            pair.value.members.compactMap { day -> ExchangeRates.Rate? in
                guard let rate = day.value.string.flatMap({ ExchangeRate($0) }), let day = UTCDay(day.key) else {
                    return nil
                }
                return ExchangeRates.Rate(day: day, currency: Symbol(String(pair.key.prefix(3))), rate: rate)
            }
        }
        self.init([
            RatesChange(
                ExchangeRates(currency: currency, rates: rates), digest: .zero, recordedAt: .earliest, position: 0)
        ])
    }
}
