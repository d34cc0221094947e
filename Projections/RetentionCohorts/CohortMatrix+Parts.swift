package import LedgerModel
package import PaidService
package import Revenue

/// The place of a cell among the numbers of a cohort from which its row is computed.
package enum CohortPlace: Hashable, Sendable {
    /// All members: `eligible` is their number.
    case members
    /// The members that reached a cell.
    case reached(Int)
    /// The members without further purchases under `renewals`, in the first cell that they did not reach.
    case gone(Int)
}

extension CohortMatrix {
    /// Calls `body` with the numbers of the matrix. They add up: those of several matrices make the matrix of all their
    /// members.
    package func forEachPart(_ body: (CohortKey, CohortPlace, CohortCell) throws -> Void) rethrows {
        for (key, cohort) in cohorts { try cohort.forEachPart { try body(key, $0, $1) } }
    }

    /// Adds numbers of another matrix.
    /// - Returns: false for a cell that no matrix has.
    package mutating func add(_ cell: CohortCell, at place: CohortPlace, of key: CohortKey) -> Bool {
        switch place {
        case .members: break
        case .reached(let k), .gone(let k):
            guard (0...CohortMember.lastCell).contains(k) else { return false }
        }
        cohorts[key, default: Cohort()].add(cell, at: place)
        return true
    }
}

extension CohortKey {
    package init(_ bucket: Bucket?, _ duration: CalendarPeriod?, cut: [String?]) {
        (self.bucket, self.duration, self.cut) = (bucket, duration, cut)
    }
}

extension CohortCell {
    package init(eligible: Int, retained: Int = 0, pending: Int = 0, net: Amounts = Amounts()) {
        self.init()
        (self.eligible, self.retained, self.pending, self.net) = (eligible, retained, pending, net)
    }
}
