import AppStoreModel
import LedgerModel
import Primitives

/// The sums of a table, to which units are added on several threads.
protocol TableSum: Sendable {
    mutating func add(_ unit: ExportUnit)

    /// Adds the sums of another thread.
    mutating func merge(_ other: Self)

    /// Adds a row for each sum.
    func addRows(to rows: StateRows) throws
}

/// The app and the environment of a sum.
struct AppScope: Hashable {
    let environment: String
    let bundleId: String

    /// - Parameter key: that of a subscription in the scope.
    init(_ key: SubscriptionKey) {
        (environment, bundleId) = (key.environment.rawValue, key.bundleId)
    }
}

/// The sums of all tables in one reading, on one thread.
package struct TableSums: Sendable {
    private var sums: [any TableSum]

    init(_ sums: [any TableSum]) {
        self.sums = sums
    }

    mutating func add(_ unit: ExportUnit) {
        for index in sums.indices { sums[index].add(unit) }
    }

    mutating func merge(_ other: TableSums) {
        for index in sums.indices { Self.merge(other.sums[index], into: &sums[index]) }
    }

    private static func merge<Sum: TableSum>(_ other: any TableSum, into sum: inout Sum) {
        guard let other = other as? Sum else { preconditionFailure("the sums are of two tables") }
        sum.merge(other)
    }

    /// - Parameter table: the number of a table among those of the sums.
    func addRows(of table: Int, to rows: StateRows) throws { try sums[table].addRows(to: rows) }
}
