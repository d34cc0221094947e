import EventLog
import FactStore
import Ingestion
import LedgerModel

/// The rules that are active at each size of the log. Every answer takes its rules from here, unless the question names
/// others.
final class ActiveRules: Sendable {
    /// The rules before the first activation.
    let initial: Rules
    private let activations: OwnEvents<RulesActivation>

    init(initial: Rules, _ log: LogReader, _ facts: FactIndex) {
        self.initial = initial
        activations = OwnEvents(.rulesActivations, log, facts) { record, _ in try RulesEvents.activation(in: record) }
    }

    /// Returns the rules at a log size whose events have known facts.
    /// - Throws: `StorageError`: also `version_unknown` for rules that only a later version knows.
    func rules(knownAt size: Position) throws -> Rules { try activation(knownAt: size)?.rules ?? initial }

    /// Returns the newest activation among the first `size` events; nil when there is none.
    func activation(knownAt size: Position) throws -> RulesActivation? { try activations.newest(knownAt: size) }

    /// Returns the initial rules and every activation among the first `size` events.
    func history(knownAt size: Position) throws -> RulesHistory {
        RulesHistory(initial: initial, activations: try activations.all(knownAt: size))
    }

    /// Returns the positions of the activations between two log sizes.
    func positions(in sizes: Range<Position>) throws -> [Position] { try activations.positions(in: sizes) }

    /// Whether the event at a position activates rules.
    func isActivation(_ position: Position) throws -> Bool { try activations.contains(position) }
}
