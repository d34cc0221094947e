package import LedgerModel

/// An observation and the timeline it belongs to.
package struct FiledObservation: Hashable, Sendable {
    package let key: TimelineKey
    package let observation: Observation

    package init(key: TimelineKey, observation: Observation) {
        self.key = key
        self.observation = observation
    }
}
