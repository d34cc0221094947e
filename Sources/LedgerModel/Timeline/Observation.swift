/// One row of a timeline: a fact and its source. Equal names imply equal facts.
package struct Observation: Hashable, Sendable {
    package let source: Source
    package let fact: Fact

    package init(source: Source, fact: Fact) {
        self.source = source
        self.fact = fact
    }
}

/// A value of one kind with the source that states it. Folds work on these.
package struct Observed<Value: Hashable & Sendable>: Hashable, Sendable {
    package let source: Source
    package let value: Value

    package init(source: Source, value: Value) {
        self.source = source
        self.value = value
    }
}
