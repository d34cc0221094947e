package import Primitives

/// A value that changes when Apple says so: renewal info, an extended expiry, the app account token.
package struct StepField<Value: Hashable & Sendable>: Hashable, Sendable {
    /// In the total order.
    package let steps: [Observed<Value>]

    package init(_ steps: [Observed<Value>]) {
        self.steps = steps
    }

    /// Without the steps that state what the one before stated.
    package var changes: StepField {
        var changes: [Observed<Value>] = []
        for step in steps where step.value != changes.last?.value { changes.append(step) }
        return StepField(changes)
    }

    /// What held at `t`: the newest statement made by then; before the first one the first, which is inferred.
    package func value(at t: Instant) -> (statement: Observed<Value>, isInferred: Bool)? {
        if let newest = steps.last(where: { $0.source.time <= t }) { return (newest, false) }
        return steps.first.map { ($0, true) }
    }
}
