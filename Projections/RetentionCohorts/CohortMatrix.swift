package import LedgerModel
package import PaidService
import Primitives
package import Revenue

/// The members that are counted together.
package struct CohortKey: Hashable, Sendable {
    /// Nil for the members whose cohort is not known.
    package let bucket: Bucket?
    /// Nil when the cohort is not known, and under `calendar-month`.
    package let duration: CalendarPeriod?
    /// The values of the cuts of the question; nil where the anchor has none.
    package let cut: [String?]
}

/// The members of a cohort in one cell.
package struct CohortCell: Hashable, Sendable {
    package internal(set) var eligible = 0
    package internal(set) var retained = 0
    package internal(set) var pending = 0
    /// Whether the cell may still change although no event is recorded.
    package internal(set) var isIncomplete = false
    /// The net revenue of the eligible members up to the instant of the cell.
    package internal(set) var net = Amounts()
}

/// A cohort with its cells, by number.
package struct CohortRow: Sendable {
    package let key: CohortKey
    package let size: Int
    /// Empty when the cohort is not known.
    package let cells: [CohortCell]
}

/// The cohorts of many units. Units are added in any order, in parts that are merged.
package struct CohortMatrix: Sendable {
    /// The number of members whose purchases are not known to be their own.
    package private(set) var ownershipInferred = 0
    var cohorts: [CohortKey: Cohort] = [:]
    private let question: RetentionQuestion

    package init(_ question: RetentionQuestion) {
        self.question = question
    }

    package mutating func add(_ unit: PurchaseUnit) {
        guard let member = CohortMember(unit, question) else { return }
        if unit.isOwnershipInferred { ownershipInferred += 1 }
        cohorts[member.cohort, default: Cohort()].add(member)
    }

    package mutating func merge(_ other: CohortMatrix) {
        ownershipInferred += other.ownershipInferred
        for (key, cohort) in other.cohorts { cohorts[key, default: Cohort()].merge(cohort) }
    }

    /// The rows, ordered by cohort, duration and cuts; the unknown cohort last. The counts of a cohort's cuts add up to
    /// those without a cut.
    package var rows: [CohortRow] {
        var counts: [CohortKey: Int] = [:]
        for (key, cohort) in cohorts {
            counts[key.withoutCut, default: 0] = max(counts[key.withoutCut] ?? 0, cohort.count)
        }
        return cohorts.map { key, cohort in
            let count = counts[key.withoutCut] ?? 0
            return CohortRow(
                key: key, size: cohort.size, cells: key.bucket.map { cohort.cells($0, upTo: count, question) } ?? [])
        }
        .sorted { $0.key.precedes($1.key) }
    }
}

extension CohortKey {
    fileprivate var withoutCut: CohortKey { CohortKey(bucket, duration, cut: []) }

    fileprivate func precedes(_ other: CohortKey) -> Bool {
        if bucket != other.bucket {
            guard let bucket, let other = other.bucket else { return bucket != nil }
            return bucket < other
        }
        let (days, otherDays) = (duration?.approximateDays ?? 0, other.duration?.approximateDays ?? 0)
        if days != otherDays { return days < otherDays }
        for (value, other) in zip(cut, other.cut) where value != other {
            guard let value, let other else { return value == nil }
            return value.bytesPrecede(other)
        }
        return false
    }
}

extension CalendarPeriod {
    /// For the order of durations alone.
    fileprivate var approximateDays: Int {
        switch unit {
        case .day: count
        case .week: count * 7
        case .month: count * 30
        case .year: count * 365
        }
    }
}

/// The counts of a cohort.
struct Cohort: Sendable {
    private(set) var size = 0
    private var known: [CohortCell] = []
    /// The members, under `renewals`, without further purchases, in the first cell that they did not reach.
    private var decided: [CohortCell] = []

    mutating func add(_ member: CohortMember) {
        size += 1
        guard member.bucket != nil else { return }
        let charges = member.unit.charges.sorted { $0.at < $1.at }[...]
        var (net, rest) = (Amounts(), charges)
        member.forEachCell { k, s, standing in
            while let charge = rest.first, charge.at <= s {
                net.add(charge)
                rest.removeFirst()
            }
            if k == known.count { known.append(CohortCell()) }
            known[k].add(standing, net)
        }
        guard member.question.rules.definition == .renewals, !member.isUndecided else { return }
        var total = Amounts()
        for charge in charges { total.add(charge) }
        let first = min(member.paidCount, CohortMember.lastCell)
        while decided.count <= first { decided.append(CohortCell()) }
        decided[first].add(.lost, total)
    }

    mutating func merge(_ other: Cohort) {
        size += other.size
        known.merge(other.known)
        decided.merge(other.decided)
    }

    func forEachPart(_ body: (CohortPlace, CohortCell) throws -> Void) rethrows {
        try body(.members, CohortCell(eligible: size))
        for (k, cell) in known.enumerated() { try body(.reached(k), cell) }
        for (k, cell) in decided.enumerated() where cell.eligible > 0 { try body(.gone(k), cell) }
    }

    mutating func add(_ cell: CohortCell, at place: CohortPlace) {
        switch place {
        case .members: size += cell.eligible
        case .reached(let k): known.merge(cell, at: k)
        case .gone(let k): decided.merge(cell, at: k)
        }
    }

    /// The number of cells that a member reached.
    var count: Int { known.count }

    /// - Parameter count: the number of cells of the cohort without its cut. Members without further purchases count in
    ///   all of them.
    func cells(_ bucket: Bucket, upTo count: Int, _ question: RetentionQuestion) -> [CohortCell] {
        let isOver = question.calendar.start(of: bucket.next) <= question.asOf
        var cells = known
        if !decided.isEmpty, cells.count < count {
            cells += Array(repeating: CohortCell(), count: count - cells.count)
        }
        var gone = CohortCell()
        for k in cells.indices {
            if k < decided.count { gone.merge(decided[k]) }
            cells[k].merge(gone)
            cells[k].isIncomplete = !isOver || cells[k].eligible < size || cells[k].pending > 0
        }
        return cells
    }
}

extension CohortCell {
    fileprivate mutating func add(_ standing: CellStanding, _ net: Amounts) {
        eligible += 1
        switch standing {
        case .retained: retained += 1
        case .pending: pending += 1
        case .lost: break
        }
        self.net.add(net)
    }

    fileprivate mutating func merge(_ other: CohortCell) {
        eligible += other.eligible
        retained += other.retained
        pending += other.pending
        net.add(other.net)
    }
}

extension [CohortCell] {
    fileprivate mutating func merge(_ cell: CohortCell, at k: Int) {
        while count <= k { append(CohortCell()) }
        self[k].merge(cell)
    }

    fileprivate mutating func merge(_ other: [CohortCell]) {
        while count < other.count { append(CohortCell()) }
        for index in other.indices { self[index].merge(other[index]) }
    }
}
