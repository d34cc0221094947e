import AppStoreModel
import Dispatch
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime

/// The knowledge and the rules of an analysis of all subscriptions.
struct AnalysisContext: Sendable {
    let size: Position
    let rules: Rules
    let catalogs: [Symbol: CatalogHistory]
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
    ) throws -> Sum {
        try analysisTurn.take()
        defer { analysisTurn.end() }
        var options = RebuildOptions()
        options.report = report
        let units = try UnitFold(of: facts, knownAt: context.size, options: options)
        let folder = try Folder.temporary()
        defer { try? folder.remove() }
        // Threads have no task, so the limit is passed on.
        let limit = WorkLimit.current
        let sums = try units(in: folder.path, readsCustomers: false) { _ in
            initial
        } add: { sum, unit in
            if let reason = limit?.reason { throw reason }
            // The keys of a unit are of one app and environment.
            guard let key = unit.timelines.keys.first, scope.contains(key) else { return }
            try add(&sum, unit.lineages)
        } finish: {
            $0
        }
        return sums.reduce(into: initial) { merge(&$0, $1) }
    }

    /// Returns the knowledge and the rules of a question.
    func analysisContext(_ question: AsOfQuery) throws -> AnalysisContext {
        let size = try knownSize(question.knownAt)
        return AnalysisContext(
            size: size, rules: try rules(for: question, knownAt: size), catalogs: try catalogHistories(knownAt: size))
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
