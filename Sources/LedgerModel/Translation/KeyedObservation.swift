/// An observation and the key of its timeline.
package struct KeyedObservation: Hashable, Sendable {
    package let key: TimelineKey
    package let observation: Observation

    package init(key: TimelineKey, observation: Observation) {
        self.key = key
        self.observation = observation
    }
}
