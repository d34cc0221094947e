import AppStoreModel
import Dispatch
import LedgerAPI
package import LedgerModel
import LedgerStorage
import Primitives
package import ProjectionRuntime

/// The result of an analysis.
struct Analysis<Sum> {
    let sum: Sum
    /// Nil when the question does not restrict the statements.
    let signed: SignedBy?
}

/// Lineages that Apple accounts join, with the facts about them.
struct AnalysisUnit {
    let lineages: [Lineage]
    /// The facts about these keys, and maybe others.
    let facts: UnitFacts

    init(_ lineages: [Lineage], _ facts: UnitFacts) {
        (self.lineages, self.facts) = (lineages, facts)
    }
}

extension LedgerReader {
    /// Folds the subscriptions in a scope on all processors. One analysis runs at a time; others wait.
    ///
    /// - Parameters:
    ///   - report: called with the progress.
    ///   - initial: the sum before the first subscription.
    ///   - add: adds the lineages that Apple accounts join.
    ///   - merge: adds the sum of a thread to that of another.
    /// - Throws: the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    func analysis<Sum: Sendable>(
        _ context: AnalysisContext, _ scope: CustomerScope,
        report: (@Sendable (RebuildProgress) -> Void)? = nil, _ initial: Sum,
        add: @escaping @Sendable (inout Sum, [Lineage]) throws -> Void, merge: (inout Sum, Sum) -> Void
    ) throws -> Analysis<Sum> {
        try analysis(context, scope, readsCustomers: false, report: report, initial) { sum, unit in
            try add(&sum, unit.lineages)
        } merge: {
            merge(&$0, $1)
        }
    }

    /// Folds the units in a scope, with the events about their customers if they are read.
    func analysis<Sum: Sendable>(
        _ context: AnalysisContext, _ scope: CustomerScope, readsCustomers: Bool,
        report: (@Sendable (RebuildProgress) -> Void)? = nil, _ initial: Sum,
        add: @escaping @Sendable (inout Sum, AnalysisUnit) throws -> Void, merge: (inout Sum, Sum) -> Void
    ) throws -> Analysis<Sum> {
        let folder = try Folder.temporary()
        defer { try? folder.remove() }
        var options = RebuildOptions()
        options.report = report
        let sums = try fold(knownAt: context.size, readsCustomers: readsCustomers, in: folder.path, options) { _ in
            (sum: initial, signedLater: 0)
        } add: { part, unit in
            // The keys of a unit are of one app and environment.
            guard let key = unit.timelines.keys.first, scope.contains(key) else { return }
            guard let signedBy = context.signedBy else {
                return try add(&part.sum, AnalysisUnit(unit.lineages, unit))
            }
            part.signedLater += unit.timelines.countSignedLater(than: signedBy)
            let timelines = unit.timelines.signed(by: signedBy)
            // Without the later statements, an account may join fewer keys.
            for lineages in Lineage.components(of: timelines).groupedByAccounts() {
                try add(
                    &part.sum, AnalysisUnit(lineages, UnitFacts(timelines: timelines, customers: unit.customers)))
            }
        } finish: {
            $0
        }
        return Analysis(
            sum: sums.reduce(into: initial) { merge(&$0, $1.sum) },
            signed: context.signedBy.map { t in SignedBy(t, signedLater: sums.reduce(0) { $0 + $1.signedLater }) })
    }

    /// Folds all units, each thread into a sum of its own. One fold runs at a time; others wait.
    ///
    /// - Parameters:
    ///   - folder: an existing folder for temporary files.
    ///   - initial: returns the initial sum of a thread, which may keep the sorter.
    ///   - finish: called on each thread at its end.
    /// - Returns: the result of each thread.
    /// - Throws: the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func fold<Sum, Result: Sendable>(
        knownAt size: Position, readsCustomers: Bool, in folder: String, _ options: RebuildOptions,
        initial: @escaping @Sendable (RecordSorter) -> Sum,
        add: @escaping @Sendable (inout Sum, UnitFacts) throws -> Void,
        finish: @escaping @Sendable (inout Sum) throws -> Result
    ) throws -> [Result] {
        try analysisTurn.take()
        defer { analysisTurn.end() }
        let units = try UnitFold(of: facts, knownAt: size, options: options)
        // Threads have no task, so the limit is passed on.
        let limit = WorkLimit.current
        return try units(in: folder, readsCustomers: readsCustomers) { worker in
            initial(units.sorter(worker, in: folder))
        } add: { sum, unit in
            if let reason = limit?.reason { throw reason }
            try add(&sum, unit)
        } finish: {
            try finish(&$0)
        }
    }

    /// Returns the knowledge and the rules of a question.
    /// - Throws: `KnownAtAhead`; `StorageError`.
    package func analysisContext(_ question: AsOfQuery) throws -> AnalysisContext {
        let size = try knownSize(question.knownAt)
        return AnalysisContext(
            size: size, rules: try rules(for: question, knownAt: size), catalogs: try catalogHistories(knownAt: size),
            rates: try appliedRates.history(knownAt: size), signedBy: question.signedBy)
    }
}

/// The right to analyse all subscriptions. An analysis takes all processors and much memory, so there is one at a time.
final class AnalysisTurn: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    /// Waits for the analyses before.
    /// - Throws: the reason to stop the work.
    fileprivate func take() throws(WorkStopped) {
        while semaphore.wait(timeout: .now() + .milliseconds(100)) == .timedOut { try WorkLimit.check() }
    }

    fileprivate func end() { semaphore.signal() }
}
