package import Primitives

/// Where a statement comes from: its name, when Apple made it, how much it counts, and the event that carries it.
package struct Source: Hashable, Sendable {
    package let name: ObservationName
    /// Apple's time: the signedDate of the JWS. Never our clock, never arrival.
    package let time: Instant
    package let rank: SourceRank
    /// The smallest position that carries it.
    package let position: Position
    /// When the ledger recorded the event at `position`.
    package let recordedAt: Instant

    package init(name: ObservationName, time: Instant, rank: SourceRank, position: Position, recordedAt: Instant) {
        self.name = name
        self.time = time
        self.rank = rank
        self.position = position
        self.recordedAt = recordedAt
    }

    /// The total order of observations: (time, rank, digest, path). It knows nothing of positions, so the order in
    /// which things arrived decides nothing.
    package func precedes(_ other: Source) -> Bool {
        if time != other.time { return time < other.time }
        if rank != other.rank { return rank < other.rank }
        return name < other.name
    }
}
