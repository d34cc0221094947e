import Primitives

/// The rules that are active at each size of the log.
package struct RulesHistory: Sendable {
    /// The rules before the first activation.
    package let initial: Rules
    /// Ordered by position.
    package let activations: [RulesActivation]

    package init(initial: Rules, activations: [RulesActivation] = []) {
        self.initial = initial
        self.activations = activations
    }

    /// Returns the rules when the log contained `size` events.
    package func rules(knownAt size: Position) -> Rules {
        activations.last { $0.position < size }?.rules ?? initial
    }
}
