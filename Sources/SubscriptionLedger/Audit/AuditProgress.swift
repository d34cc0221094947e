/// The progress of a stage of an audit.
package struct AuditProgress: Sendable {
    package enum Stage: String, Sendable {
        /// Walking the pages of the data files; in entries.
        case pages
        /// Verifying the events of the log, and decoding their facts; in events.
        case events
        /// Verifying the signatures; in events.
        case signatures
        /// Comparing the indexes of derived data; in percent.
        case indexes
        /// Rebuilding the timelines; in events.
        case timelines
        /// Building the transitions again, in events, and comparing them, in rows.
        case transitions
    }

    package let stage: Stage
    package let done: UInt64
    /// Nil where it is not known.
    package let total: UInt64?

    package init(_ stage: Stage, done: UInt64, total: UInt64? = nil) {
        self.stage = stage
        self.done = done
        self.total = total
    }
}
