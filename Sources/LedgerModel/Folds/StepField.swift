package import Primitives

/// A value that changes when Apple says so: an extended expiry, the app account token.
package struct StepField<Value: Hashable & Sendable>: Hashable, Sendable {
    /// In the total order.
    package let steps: [Observed<Value>]

    package init(_ steps: [Observed<Value>]) {
        self.steps = steps
    }

    /// With one more step, in its place by signing time: after those of the same time.
    func adding(_ step: Observed<Value>) -> StepField {
        var steps = steps
        steps.insert(step, at: steps.partitioningIndex { $0.source.time > step.source.time })
        return StepField(steps)
    }

    /// Without the steps that state what the one before stated.
    package var changes: StepField {
        var changes: [Observed<Value>] = []
        for step in steps where step.value != changes.last?.value { changes.append(step) }
        return StepField(changes)
    }

    /// The newest statement made by `t`; before the first one the first, which is inferred.
    package func value(at t: Instant) -> (statement: Observed<Value>, isInferred: Bool)? {
        if let newest = steps.last(where: { $0.source.time <= t }) { return (newest, false) }
        return steps.first.map { ($0, true) }
    }
}
