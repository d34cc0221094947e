/// The set of observations of one key. Merging is set union, which is commutative, associative and idempotent. The
/// order, number and grouping of deliveries therefore cannot change the result of a fold.
package struct Timeline: Hashable, Sendable {
    /// In the total order, without duplicate names. Of several carriers, the one with the smallest position is kept.
    package let observations: [Observation]

    package init(_ observations: some Sequence<Observation> = []) {
        let byName = observations.sorted {
            $0.source.name == $1.source.name
                ? $0.source.position < $1.source.position
                : $0.source.name < $1.source.name
        }
        var distinct: [Observation] = []
        distinct.reserveCapacity(byName.count)
        for observation in byName where observation.source.name != distinct.last?.source.name {
            distinct.append(observation)
        }
        self.observations = distinct.sorted { $0.source.precedes($1.source) }
    }

    package func union(_ other: Timeline) -> Timeline {
        Timeline(observations + other.observations)
    }

    /// Returns the timeline as known when the log contained `size` events.
    ///
    /// An observation carried by several events keeps the smallest of their positions. That position is below `size`
    /// exactly when any of them is, so filtering the whole set gives the set of the first events.
    package func known(at size: Position) -> Timeline {
        Timeline(ordered: observations.filter { $0.source.position < size })
    }

    private init(ordered observations: [Observation]) {
        self.observations = observations
    }
}

extension Timeline {
    package var transactions: [Observed<TransactionFact>] {
        observations.compactMap {
            guard case .transaction(let fact) = $0.fact else { return nil }
            return Observed(source: $0.source, value: fact)
        }
    }

    package var renewals: [Observed<RenewalFact>] {
        observations.compactMap {
            guard case .renewal(let fact) = $0.fact else { return nil }
            return Observed(source: $0.source, value: fact)
        }
    }

    package var notifications: [Observed<NotificationFact>] {
        observations.compactMap {
            guard case .notification(let fact) = $0.fact else { return nil }
            return Observed(source: $0.source, value: fact)
        }
    }
}
