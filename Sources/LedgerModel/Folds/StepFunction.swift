package import Primitives

/// A value that changes when Apple states a new one: an extended expiry, the app account token.
package struct StepFunction<Value: Hashable & BitwiseCopyable & Sendable>: Hashable, Sendable {
    /// In the total order.
    package let steps: [Observed<Value>]

    package init(_ steps: [Observed<Value>]) {
        self.steps = steps
    }

    /// Returns the function with one more step, placed by signing time after the steps of the same time.
    func adding(_ step: Observed<Value>) -> StepFunction {
        var steps = steps
        steps.insert(step, at: steps.partitioningIndex { $0.source.time > step.source.time })
        return StepFunction(steps)
    }

    /// Returns the newest statement made by `t`; before the first one, returns the first, which is inferred.
    package func value(at t: Instant) -> (statement: Observed<Value>, isInferred: Bool)? {
        if let newest = steps.last(where: { $0.source.time <= t }) { return (newest, false) }
        return steps.first.map { ($0, true) }
    }
}
