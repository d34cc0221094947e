package import Primitives

/// A position in the feed: `<sequence>.<rows read>.<digest>`.
///
/// The digest covers every row read, so a cursor of another sequence is rejected, for example after restoring a backup.
package struct TransitionCursor: Hashable, Sendable {
    let sequenceID: UInt32
    let count: UInt64
    let digest: UInt32

    init(sequence: Digest, count: UInt64, digest: UInt128) {
        sequenceID = UInt32(truncatingIfNeeded: sequence.firstHalf >> 96)
        self.count = count
        self.digest = UInt32(truncatingIfNeeded: digest >> 96)
    }

    /// Creates a cursor from its text; nil when the text does not have the form of a cursor.
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
        Hex.encode(number.bigEndianBytes)
    }
}

/// The reason that a cursor cannot be followed.
package enum TransitionCursorError: DiagnosedError, Equatable, Sendable {
    /// A cursor beyond the newest row.
    case ahead(count: UInt64, end: UInt64)
    /// A cursor of another log, of other rules, or of a history that this log does not continue.
    case ofAnotherLog

    package var diagnosis: Diagnosis {
        switch self {
        case .ahead(let count, let end):
            Diagnosis(
                "cursor_ahead", "the cursor is beyond the newest row", expected: "at most \(end) rows",
                found: "\(count) rows", hint: "Use the ledger that issued the cursor, or start without `after`.")
        case .ofAnotherLog:
            Diagnosis(
                "cursor_of_another_log", "the cursor belongs to another feed",
                expected: "a cursor of this log and its rules", found: "a cursor of another log or of other rules",
                hint: "Start without `after`. Rows that were already read can occur again.")
        }
    }
}
