import EventLog
package import LedgerModel
package import Primitives

extension LedgerWriter {
    /// Returns the number of events that were recorded at an instant or before. Every later event is recorded after it, so
    /// the number does not change any more.
    /// - Parameter instant: not in the future.
    /// - Throws: `busy`, `io_error`.
    package func size(recordedBy instant: Instant) throws -> Position {
        _ = try log.raiseFloor(to: instant)
        return try reader.knownSize(.instant(instant))
    }
}
