package import Primitives

/// A value that changes when Apple states a new one: an extended expiry, the app account token.
package struct StepFunction<Value: Hashable & BitwiseCopyable & Sendable>: Hashable, Sendable {
    /// In the total order.
    let statements: ShortList<Observed<Value>>

    package init(_ steps: [Observed<Value>]) {
        self.init(statements: ShortList(steps))
    }

    init(statements: ShortList<Observed<Value>>) {
        self.statements = statements
    }

    /// Returns the function with one more step, placed by signing time after the steps of the same time.
    func adding(_ step: Observed<Value>) -> StepFunction {
        var steps = Array(statements)
        steps.insert(step, at: steps.partitioningIndex { $0.source.time > step.source.time })
        return StepFunction(steps)
    }

    /// Returns the newest statement made by `t`; before the first one, returns the first, which is inferred.
    package func value(at t: Instant) -> (statement: Observed<Value>, isInferred: Bool)? {
        for index in statements.indices.reversed() where statements[index].source.time <= t {
            return (statements[index], false)
        }
        return statements.first.map { ($0, true) }
    }
}
