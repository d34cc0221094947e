import FactStore
import LedgerModel
import LedgerStorage
import ProjectionRuntime

/// Rebuilds every timeline from all facts in the order of the log, and compares it with the one that the index finds.
struct TimelineAudit {
    /// Memory for the index of units, in bytes.
    private static let memory = 256 << 20

    let facts: FactIndex
    /// The number of events whose facts are stored.
    let size: Position

    struct Fault: Error {
        let what: String
    }

    /// - Returns: the number of timelines; the first that differs.
    func run(progress: @escaping @Sendable (AuditProgress) -> Void) throws -> Result<UInt64, Fault> {
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        var options = RebuildOptions()
        options.memory = Self.memory
        options.report = { progress(AuditProgress(.timelines, done: $0.done, total: $0.total)) }
        let units = try UnitFold(of: facts, knownAt: size, options: options)
        let sums = try units(in: scratch.path, readsCustomers: false) { _ in
            Sum()
        } add: { [facts, size] sum, unit in
            guard let key = unit.timelines.keys.min() else { return }
            let found = try facts.timelines(around: key, knownAt: size)
            for (key, timeline) in unit.timelines where found[key] != timeline {
                sum.differing = min(sum.differing ?? key, key)
            }
            sum.count += UInt64(unit.timelines.count)
        } finish: {
            $0
        }
        if let key = sums.compactMap(\.differing).min() {
            return .failure(Fault(what: "the index finds another timeline of \(key.originalTransactionId)"))
        }
        return .success(sums.reduce(0) { $0 + $1.count })
    }

    /// The timelines that one thread compared.
    private struct Sum: Sendable {
        var count: UInt64 = 0
        var differing: SubscriptionKey?
    }
}
