import AppStoreModel
package import LedgerAPI
package import LedgerModel
import PaidService
import Primitives
package import Revenue

extension LedgerReader {
    /// Returns the revenue of all subscriptions in a scope by calendar bucket, currency and cuts.
    /// - Throws: `KnownAtAhead`; `ZoneUnknown`; `DefinitionUnknown`; the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func revenue(
        _ query: AnalysisQuery, bookedBy booking: RevenueTable.Booking = .movement
    ) throws -> RevenueAnswer<RevenueRow> {
        let context = try analysisContext(query.question)
        let calendar = try BucketCalendar(query, context.rules)
        let empty = RevenueTable(
            calendar, cuts: query.cuts, booking: booking, rules: context.rules.revenue,
            in: try ReportingCurrency(query, context))
        let t = query.question.asOf
        let found = try analysis(context, query.scope, report: query.report, empty) { table, lineages in
            for unit in lineages.purchaseUnits(by: .group, at: t, catalogs: context.catalogs) { table.add(unit) }
        } merge: {
            $0.merge($1)
        }
        let rows = found.sum.rows.map { RevenueRow($0, $1, query) }
        return answer(query, context, calendar, rows: rows.sorted(), found.signed)
    }

    /// Returns the recurring revenue of all subscriptions in a scope from bucket to bucket.
    /// - Parameter definition: how a price becomes that of a month; nil for that of the rules.
    /// - Throws: the errors of `revenue`.
    package func recurringRevenue(
        _ query: AnalysisQuery, definition: Rules.Revenue.RecurringRevenue? = nil
    ) throws -> RevenueAnswer<RecurringRevenueRow> {
        let context = try analysisContext(query.question)
        let calendar = try BucketCalendar(query, context.rules)
        var rules = context.rules
        if let definition { rules.revenue.mrr = definition }
        let empty = RevenueSeries(
            calendar, rules: rules, asOf: query.question.asOf, in: try ReportingCurrency(query, context))
        let found = try analysis(context, query.scope, report: query.report, empty) { series, lineages in
            series.add(lineages, catalogs: context.catalogs)
        } merge: {
            $0.merge($1)
        }
        return answer(query, context, calendar, rows: found.sum.rows.map { RecurringRevenueRow($0) }, found.signed)
    }

    /// Returns every movement of money of the subscriptions in a scope, ordered by key and time.
    /// - Throws: the errors of `revenue`.
    package func charges(_ query: AnalysisQuery) throws -> RevenueAnswer<ChargeRow> {
        let context = try analysisContext(query.question)
        let calendar = try BucketCalendar(query, context.rules)
        let reporting = try ReportingCurrency(query, context)
        let t = query.question.asOf
        let found = try analysis(context, query.scope, report: query.report, RowList<ChargeRow>(of: query)) {
            rows, lineages in
            for unit in lineages.purchaseUnits(by: .group, at: t, catalogs: context.catalogs) {
                let rates = ProceedsRates(unit, context.rules.revenue)
                for purchase in unit.purchases {
                    for charge in purchase.charges(in: reporting) {
                        try rows.append(ChargeRow(charge, of: purchase, rates))
                    }
                }
            }
        } merge: {
            $0.merge($1)
        }
        return answer(query, context, calendar, rows: try found.sum.all().sorted(), found.signed)
    }

    private func answer<Row>(
        _ query: AnalysisQuery, _ context: AnalysisContext, _ calendar: BucketCalendar, rows: [Row], _ signed: SignedBy?
    ) -> RevenueAnswer<Row> {
        var answer = RevenueAnswer(
            asOf: query.question.asOf, knownAt: context.size, interval: calendar.interval.rawValue,
            zone: calendar.zone.name, rows: rows)
        answer.signed = signed
        return answer
    }
}

extension RevenueRow {
    fileprivate init(_ key: RevenueTable.Key, _ row: RevenueTable.Row, _ query: AnalysisQuery) {
        let exchanges = row.exchanges.sorted { $0.key.text < $1.key.text }.map { of, span in
            ExchangeSpanRow(
                of: of.text, movements: span.movements, firstDay: "\(span.firstDay)", lastDay: "\(span.lastDay)")
        }
        self.init(
            period: key.bucket.name, currency: key.currency?.text,
            cut: zip(query.cuts, key.cut).map { NamedText($0.rawValue, $1) }, charges: row.charges, gross: row.gross,
            refunds: row.refunds, reversals: row.reversals, upgradeCredits: row.upgradeCredits, net: row.net,
            proceedsBeforeTax: row.proceedsBeforeTax, unknownProceeds: row.unknownProceeds,
            unitsAtHigherRate: row.unitsAtHigherRate, unitsAtKnownRate: row.unitsAtKnownRate,
            unknownPrice: row.unknownPrice, unknownRate: row.unknownRate,
            exchanges: query.currency == nil ? nil : exchanges)
    }
}

extension [RevenueRow] {
    fileprivate func sorted() -> [RevenueRow] {
        sorted { left, right in
            if left.period != right.period { return left.period < right.period }
            if left.currency != right.currency { return (left.currency ?? "") < (right.currency ?? "") }
            return left.cut.lexicographicallyPrecedes(right.cut) { ($0.value ?? "") < ($1.value ?? "") }
        }
    }
}

extension RecurringRevenueRow {
    fileprivate init(_ row: RevenueSeries.Row) {
        self.init(
            period: row.bucket.name, currency: row.currency?.text, opening: row.opening,
            changes: RevenueMovement.Kind.allCases.map { Change(kind: $0.rawValue, amount: row.changes[$0] ?? 0) },
            churnedInRetry: row.churnedInRetry, closing: row.closing, unknownPrice: row.unknownPrice)
    }
}

extension ChargeRow {
    init(_ charge: Charge, of purchase: SubscriptionPurchase, _ rates: ProceedsRates) {
        self.init(
            id: SubscriptionID(charge.key), kind: charge.kind.rawValue, productId: purchase.productId?.text,
            transactionId: charge.transactionId?.text, at: charge.at, saleAt: charge.saleAt, amount: charge.amount,
            currency: charge.currency?.text, rate: rates.rate(ofSaleAt: charge.saleAt),
            proceedsBeforeTax: rates.proceeds(of: charge), paidDays: rates.paidDays(at: charge.saleAt),
            inferred: charge.isInferred,
            position: charge.position, exchange: charge.exchange.map { ExchangeRow($0) })
    }
}

extension ExchangeRow {
    fileprivate init(_ exchange: Exchange) {
        self.init(
            of: exchange.of?.text, rate: exchange.rate?.rate.text, day: exchange.rate?.day.description,
            position: exchange.rate?.position)
    }
}

extension [ChargeRow] {
    fileprivate func sorted() -> [ChargeRow] {
        sorted { left, right in
            if left.id != right.id { return left.id < right.id }
            if left.at != right.at { return left.at < right.at }
            return (left.transactionId ?? "", left.kind) < (right.transactionId ?? "", right.kind)
        }
    }
}

extension Rules.Revenue.RecurringRevenue {
    /// - Throws: `DefinitionUnknown`.
    package init(named name: String) throws(DefinitionUnknown) {
        guard let definition = Self(rawValue: name) else {
            throw DefinitionUnknown(
                "definition of recurring revenue", expected: Self.allCases.map(\.rawValue), found: name)
        }
        self = definition
    }
}
