/// The first fault found by an audit.
package enum LogFinding: Hashable, Sendable {
    /// A fault of one event.
    case event(position: UInt64, what: String)
    /// A fault of the files.
    case structure(what: String)
}
