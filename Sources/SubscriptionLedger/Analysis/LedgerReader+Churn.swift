import AppStoreModel
package import Churn
package import LedgerAPI
import LedgerModel
import PaidService
import Primitives

extension LedgerReader {
    /// Returns the subscribers in a segment, ordered by key and end.
    /// - Throws: `KnownAtAhead`; `AnswerTooLarge`; the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func churn(_ segment: ChurnSegment, _ query: AnalysisQuery) throws -> ChurnAnswer<SegmentAnswerRow> {
        let context = try analysisContext(query.question)
        let found = try units(query, context, RowList<SegmentAnswerRow>(of: query)) { rows, unit in
            for row in unit.rows(in: segment, context.rules) { try rows.append(SegmentAnswerRow(row)) }
        } merge: {
            $0.merge($1)
        }
        return answer(query, context, segment, try found.sum.all().sorted(), found.signed)
    }

    /// Returns the number of departures in each calendar bucket, by class.
    /// - Throws: the errors of `churn`; `ZoneUnknown`.
    package func churnCounts(_ query: AnalysisQuery) throws -> ChurnAnswer<CountRow> {
        let context = try analysisContext(query.question)
        let calendar = try BucketCalendar(query, context.rules)
        let found = try units(query, context, ChurnCounts(calendar)) { counts, unit in
            for episode in unit.churnEpisodes(context.rules.churn) { counts.add(episode) }
        } merge: {
            $0.merge($1)
        }
        let rows = found.sum.counts.sorted { $0.key < $1.key }.map { bucket, classes in
            CountRow(
                labels: [NamedText("period", bucket.name)],
                ChurnClass.allCases.map { CountRow.Count($0.rawValue, classes[$0] ?? 0) })
        }
        return answer(query, context, nil, rows, found.signed)
    }

    /// Returns the number of subscriptions in billing retry at the end of each calendar bucket.
    /// - Throws: the errors of `churnCounts`.
    package func retryCounts(_ query: AnalysisQuery) throws -> ChurnAnswer<CountRow> {
        let context = try analysisContext(query.question)
        let calendar = try BucketCalendar(query, context.rules)
        let found = try units(query, context, RetryCounts(calendar, asOf: query.question.asOf)) { counts, unit in
            for episode in unit.retryEpisodes(context.rules.churn) { counts.add(episode) }
        } merge: {
            $0.merge($1)
        }
        let rows = found.sum.counts.map { bucket, count in
            CountRow(labels: [NamedText("period", bucket.name)], [CountRow.Count("inRetry", count)])
        }
        return answer(query, context, .inRetry, rows, found.signed)
    }

    /// Returns what became of failed renewals, by day of retry.
    /// - Throws: the errors of `churn`.
    package func recoveryCurve(_ query: AnalysisQuery) throws -> ChurnAnswer<CountRow> {
        let context = try analysisContext(query.question)
        let found = try units(query, context, RecoveryCurve()) { curve, unit in
            for episode in unit.retryEpisodes(context.rules.churn) { curve.add(episode) }
        } merge: {
            $0.merge($1)
        }
        let rows = found.sum.days.enumerated().map { index, day in
            CountRow([
                .init("retryDay", index + 1), .init("entered", day.entered), .init("recovered", day.recovered),
                .init("boughtAgain", day.boughtAgain), .init("lost", day.lost), .init("open", day.open),
            ])
        }
        return answer(query, context, nil, rows, found.signed)
    }

    /// Returns what became of offers, by kind and by the cuts of the query.
    /// - Parameter isDivided: whether the calendar of the query divides the rows, by the start of the offer.
    /// - Throws: the errors of `churnCounts`.
    package func offerFunnel(_ query: AnalysisQuery, byCalendar isDivided: Bool = false) throws -> ChurnAnswer<CountRow>
    {
        let context = try analysisContext(query.question)
        let calendar = isDivided ? try BucketCalendar(query, context.rules) : nil
        let found = try units(query, context, OfferFunnel(calendar, cuts: query.cuts)) { funnel, unit in
            for run in unit.offerRuns { funnel.add(run, of: unit) }
        } merge: {
            $0.merge($1)
        }
        let rows = found.sum.rows.sorted { $0.key.precedes($1.key) }.map { key, row in
            CountRow(
                labels: (key.bucket.map { [NamedText("period", $0.name)] } ?? []) + [NamedText("offer", key.offer)]
                    + zip(query.cuts, key.cut).map { NamedText("cut.\($0.rawValue)", $1) },
                [.init("started", row.started), .init("pending", row.pending), .init("converted", row.converted)]
                    + ChurnClass.allCases.map { .init("notConverted.\($0.rawValue)", row.notConverted[$0] ?? 0) })
        }
        return answer(query, context, nil, rows, found.signed)
    }

    private func answer<Row>(
        _ query: AnalysisQuery, _ context: AnalysisContext, _ segment: ChurnSegment?, _ rows: [Row],
        _ signed: SignedBy?
    ) -> ChurnAnswer<Row> {
        var answer = ChurnAnswer(
            asOf: query.question.asOf, knownAt: context.size, segment: segment?.rawValue, rows: rows)
        answer.signed = signed
        return answer
    }

    private func units<Sum: Sendable>(
        _ query: AnalysisQuery, _ context: AnalysisContext, _ initial: Sum,
        add: @escaping @Sendable (inout Sum, PurchaseUnit) throws -> Void, merge: (inout Sum, Sum) -> Void
    ) throws -> Analysis<Sum> {
        let t = query.question.asOf
        return try analysis(context, query.scope, report: query.report, initial) { sum, lineages in
            for unit in lineages.purchaseUnits(by: .group, at: t, catalogs: context.catalogs) { try add(&sum, unit) }
        } merge: {
            merge(&$0, $1)
        }
    }
}

extension OfferFunnel.Key {
    /// Whether the key comes before another: by calendar, offer and cuts.
    fileprivate func precedes(_ other: OfferFunnel.Key) -> Bool {
        let names = [self, other].map { [$0.bucket?.name ?? "", $0.offer] + $0.cut.map { $0 ?? "" } }
        return names[0].lexicographicallyPrecedes(names[1])
    }
}

extension SegmentAnswerRow {
    fileprivate init(_ row: SegmentRow) {
        self.init(
            id: SubscriptionID(row.key), productId: row.productId?.text, churnClass: row.churnClass?.rawValue,
            since: row.since, endedAt: row.endedAt, churnedAt: row.churnedAt, recoveredAt: row.recoveredAt,
            boughtAgain: row.boughtAgain, reactivatedAt: row.reactivatedAt, retryDay: row.retryDay,
            paidDays: row.paidDays, accrualLostAt: row.accrualLostAt, offerIds: row.offerIds, evidence: row.evidence)
    }
}

extension [SegmentAnswerRow] {
    fileprivate func sorted() -> [SegmentAnswerRow] {
        sorted { left, right in
            left.id == right.id
                ? (left.endedAt ?? .latest) < (right.endedAt ?? .latest) : left.id < right.id
        }
    }
}

extension ChurnSegment {
    /// - Throws: `DefinitionUnknown`.
    package init(named name: String) throws(DefinitionUnknown) {
        guard let segment = Self(rawValue: name) else {
            throw DefinitionUnknown("segment", expected: Self.allCases.map(\.rawValue), found: name)
        }
        self = segment
    }
}
