package import LedgerAPI
import LedgerConfiguration
import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import Revenue

extension LedgerReader {
    /// Returns the retention of all subscriptions in a scope, by cohort.
    /// - Throws: `KnownAtAhead`; `ZoneUnknown`; the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func cohorts(_ query: AnalysisQuery) throws -> CohortsAnswer {
        let context = try analysisContext(query.question)
        let question = try RetentionQuestion(query, context.rules)
        let found = try analysis(context, query.scope, report: query.report, CohortMatrix(question)) {
            matrix, lineages in
            for unit in lineages.purchaseUnits(by: question.scope, at: question.asOf, catalogs: context.catalogs) {
                matrix.add(unit)
            }
        } merge: {
            $0.merge($1)
        }
        let matrix = found.sum
        var answer = CohortsAnswer(
            asOf: question.asOf, knownAt: context.size, definition: question.rules.definition.rawValue,
            interval: question.calendar.interval.rawValue, zone: question.calendar.zone.name,
            cuts: question.cuts.map(\.rawValue),
            ownershipInferred: matrix.ownershipInferred, rows: matrix.rows.map { CohortAnswerRow($0, question) })
        answer.signed = found.signed
        return answer
    }

    /// Returns the members of a cell that are eligible in it, and what each is counted as.
    /// - Parameters:
    ///   - cohort: the name of the cohort, of any duration and any values of cuts: both are in the rows.
    ///   - k: the number of the cell.
    /// - Throws: the errors of `cohorts`; `DefinitionUnknown` for a text that is no name of a cohort.
    package func members(ofCell k: Int, ofCohort cohort: String, _ query: AnalysisQuery) throws -> CohortCellAnswer {
        let context = try analysisContext(query.question)
        let question = try RetentionQuestion(query, context.rules)
        guard cohort == CohortMember.unknownCohort || question.calendar.bucket(named: cohort) != nil else {
            let now = question.calendar.bucket(of: question.asOf).name
            throw DefinitionUnknown(
                "cohort", expected: ["a \(query.interval.rawValue) by its name, such as \(now)"], found: cohort)
        }
        let found = try analysis(context, query.scope, report: query.report, RowList<CohortMemberRow>(of: query)) {
            rows, lineages in
            for unit in lineages.purchaseUnits(by: question.scope, at: question.asOf, catalogs: context.catalogs) {
                guard let member = CohortMember(unit, question), member.name == cohort,
                    let row = CohortMemberRow(member, inCell: k, question.cuts)
                else { continue }
                try rows.append(row)
            }
        } merge: {
            $0.merge($1)
        }
        var answer = CohortCellAnswer(
            asOf: question.asOf, knownAt: context.size, subscriptions: try found.sum.all().sorted { $0.id < $1.id })
        answer.signed = found.signed
        return answer
    }
}

extension RetentionQuestion {
    fileprivate init(_ query: AnalysisQuery, _ rules: Rules) throws {
        var retention = rules.retention
        if let definition = query.definition { retention.definition = definition }
        if let zone = query.zone { retention.zone = zone }
        let zone = try TimeZoneDatabase.table(named: retention.zoneInForce)
        self.init(retention, zone: zone, by: query.interval, cuts: query.cuts, asOf: query.question.asOf)
    }
}

extension CohortMember {
    fileprivate static let unknownCohort = "unknown"

    /// The name of the cohort.
    fileprivate var name: String { bucket?.name ?? Self.unknownCohort }
}

extension CohortAnswerRow {
    fileprivate init(_ row: CohortRow, _ question: RetentionQuestion) {
        self.init(
            cohort: row.key.bucket?.name ?? CohortMember.unknownCohort, duration: row.key.duration?.description,
            cut: zip(question.cuts, row.key.cut).map { NamedText($0.rawValue, $1) }, size: row.size,
            cells: row.cells.map { cell in
                CohortAnswerCell(
                    eligible: cell.eligible, retained: cell.retained, pending: cell.pending,
                    incomplete: cell.isIncomplete, net: AmountsRow(cell.net))
            })
    }
}

extension AmountsRow {
    init(_ amounts: Amounts) {
        self.init(
            amounts.entries.map { Entry(currency: $0.currency?.text, amount: $0.amount) },
            unknownCount: amounts.unknownCount)
    }
}

extension CohortMemberRow {
    /// Returns nil when the member is not eligible. Every member of the unknown cohort is listed.
    fileprivate init?(_ member: CohortMember, inCell k: Int, _ cuts: [PurchaseCut]) {
        let cell = member.standing(inCell: k)
        guard cell != nil || member.bucket == nil, let key = (member.anchor ?? member.unit.purchases.first)?.key else {
            return nil
        }
        var net = Amounts()
        for charge in member.unit.charges where cell.map({ charge.at <= $0.instant }) ?? true { net.add(charge) }
        let positions = member.unit.purchases.filter { purchase in
            cell.map { purchase.start <= $0.instant } ?? true
        }.map(\.position)
        self.init(
            id: SubscriptionID(key), anchor: member.anchor?.start, duration: member.cohort.duration?.description,
            cut: zip(cuts, member.cohort.cut).map { NamedText($0.rawValue, $1) },
            retained: cell?.standing.isRetained, because: cell?.standing.word ?? member.unknownBecause,
            net: AmountsRow(net),
            evidence: Set(positions).sorted())
    }
}

extension CohortMember {
    /// The reason that the cohort is not known.
    fileprivate var unknownBecause: String {
        if unit.isHistoryIncomplete { return "historyIncomplete" }
        return anchor == nil || unit.purchases.contains { $0.payment == .unknown }
            ? "paymentUnknown" : "durationUnknown"
    }
}

extension CellStanding {
    fileprivate var isRetained: Bool? {
        switch self {
        case .retained: true
        case .lost: false
        case .pending: nil
        }
    }

    fileprivate var word: String {
        switch self {
        case .retained(let reason): reason.rawValue
        case .pending(let wait): wait.rawValue
        case .lost: "lost"
        }
    }
}
