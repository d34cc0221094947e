package import Primitives

/// The origin of a statement: its name, its time, its rank, and the event that carries the statement.
package struct Source: Hashable, BitwiseCopyable, Sendable {
    package let name: ObservationName
    /// Apple's time, the signedDate of the JWS; never the ledger's clock or the time of arrival.
    package let time: Instant
    package let rank: SourceRank
    /// The smallest position of an event that carries the statement.
    package let position: Position
    /// The time the ledger recorded the event at `position`.
    package let recordedAt: Instant

    package init(name: ObservationName, time: Instant, rank: SourceRank, position: Position, recordedAt: Instant) {
        self.name = name
        self.time = time
        self.rank = rank
        self.position = position
        self.recordedAt = recordedAt
    }

    /// Whether the source precedes another in the total order of observations: (time, rank, digest, path). Positions
    /// are not part of it, so the order of arrival has no effect.
    package func precedes(_ other: Source) -> Bool {
        if time != other.time { return time < other.time }
        if rank != other.rank { return rank < other.rank }
        return name < other.name
    }
}

/// The precedence of a source when two sources state one field.
package enum SourceRank: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// A receipt of iOS 6, which states nothing until Apple answers for it.
    case transactionReceipt = 0
    case notificationV1 = 1
    case receiptInApp = 2
    case receiptFile = 3
    case verifyReceiptLatest = 4
    case jws = 5
}

extension SourceRank: Comparable {
    package static func < (left: SourceRank, right: SourceRank) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The place of an event in the log: 0, 1, 2 … without gaps. Used as a size, it is the number of events below it.
package typealias Position = UInt64
