import AppStoreModel
import LedgerModel
import Primitives

/// The sums of a table, to which units are added on several threads.
protocol TableSum: Sendable {
    mutating func add(_ unit: ExportUnit)

    /// Adds the sums of another thread.
    mutating func merge(_ other: Self)

    /// Calls `body` with all parts of the sums.
    func forEachPart(_ body: (SumPart) throws -> Void) rethrows

    /// Adds a part of the sums of another worker.
    /// - Returns: false for a part that `forEachPart` does not make.
    mutating func add(_ part: SumPart) -> Bool

    /// Adds a row for each sum.
    func addRows(to rows: StateRows) throws
}

/// The app and the environment of a sum.
struct AppScope: Hashable {
    let environment: String
    let bundleId: String

    init(environment: String, bundleId: String) {
        (self.environment, self.bundleId) = (environment, bundleId)
    }

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

    /// - Parameter table: the number of a table among those of the sums, as of the other methods.
    func forEachPart(of table: Int, _ body: (SumPart) throws -> Void) rethrows { try sums[table].forEachPart(body) }

    mutating func add(_ part: SumPart, to table: Int) -> Bool { sums[table].add(part) }

    func addRows(of table: Int, to rows: StateRows) throws { try sums[table].addRows(to: rows) }
}
