import Primitives

/// A place in the feed of transitions, as its readers hold it: `<log and sequence>.<rows read>.<their digest>`.
///
/// The digest is of every row read, so a cursor fits no other sequence, even one that grew from the same beginning, as
/// that of a restored backup.
package struct TransitionCursor: Hashable, Sendable {
    let sequenceID: UInt32
    let count: UInt64
    let digest: UInt32

    init(sequence: Digest, count: UInt64, digest: UInt128) {
        sequenceID = UInt32(truncatingIfNeeded: sequence.firstHalf >> 96)
        self.count = count
        self.digest = UInt32(truncatingIfNeeded: digest >> 96)
    }

    /// Nil for a text that no feed has given.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequenceID = UInt32(parts[0], radix: 16), let count = UInt64(parts[1]),
            let digest = UInt32(parts[2], radix: 16)
        else { return nil }
        (self.sequenceID, self.count, self.digest) = (sequenceID, count, digest)
        guard self.text == text else { return nil }
    }

    package var text: String { "\(Self.hex(sequenceID)).\(count).\(Self.hex(digest))" }

    private static func hex(_ number: UInt32) -> String {
        Hex.encode(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
}

/// The reason a cursor cannot be followed.
package enum TransitionCursorError: Error, Equatable, Sendable {
    /// It is beyond the newest row.
    case ahead(count: UInt64, end: UInt64)
    /// It is of another log, of other rules, or of a history that this log does not continue.
    case ofAnotherLog
}
