import EventLog
import FactStore
import Ingestion
import LedgerModel
import LedgerStorage
import Synchronization

/// The rules that are active at each size of the log. Every answer takes its rules from here, unless the question names
/// others.
final class ActiveRules: Sendable {
    private static let terms: [IndexTerm] = [.rulesActivations]

    /// The rules before the first activation.
    let initial: Rules
    private let log: LogReader
    private let facts: FactIndex
    private let known = Mutex<Known?>(nil)

    private struct Known {
        /// The number of events that were searched.
        let size: Position
        /// The positions of the activations, ascending.
        let positions: [Position]
        /// The activations that were read.
        var activations: [Position: RulesActivation] = [:]
    }

    init(initial: Rules, _ log: LogReader, _ facts: FactIndex) {
        (self.initial, self.log, self.facts) = (initial, log, facts)
    }

    /// Returns the rules at a log size whose events have known facts.
    /// - Throws: `StorageError`: also `version_unknown` for rules that only a later version knows.
    func rules(knownAt size: Position) throws -> Rules { try activation(knownAt: size)?.rules ?? initial }

    /// Returns the newest activation among the first `size` events; nil when there is none.
    func activation(knownAt size: Position) throws -> RulesActivation? {
        let current = try current()
        return try current.positions.last { $0 < size }.map { try activation(at: $0, current) }
    }

    /// Returns the initial rules and every activation among the first `size` events.
    func history(knownAt size: Position) throws -> RulesHistory {
        let current = try current()
        let positions = current.positions.filter { $0 < size }
        return RulesHistory(initial: initial, activations: try positions.map { try activation(at: $0, current) })
    }

    private func activation(at position: Position, _ current: Known) throws -> RulesActivation {
        if let activation = current.activations[position] { return activation }
        guard let record = try log.record(at: position), let activation = try RulesEvents.activation(in: record) else {
            throw StorageError(.logCorrupt, "event at position \(position) activates no rules")
        }
        known.withLock { $0?.activations[position] = activation }
        return activation
    }

    /// Whether the event at a position activates rules.
    func isActivation(_ position: Position) throws -> Bool { try current().positions.contains(position) }

    private func current() throws -> Known {
        if let known = known.withLock({ $0 }), facts.isUnchanged(Self.terms, since: known.size) { return known }
        // Read before the look-up, so that an activation appended meanwhile is looked up again.
        let size = facts.size
        let found = Known(size: size, positions: try facts.positionsOfRulesActivations())
        known.withLock { $0 = found }
        return found
    }
}
