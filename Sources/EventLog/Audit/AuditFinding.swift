/// The first thing an audit found wrong.
package enum AuditFinding: Hashable, Sendable {
    /// At an event.
    case event(position: UInt64, what: String)
    /// In the files beneath.
    case structure(what: String)
}

package struct AuditReport: Hashable, Sendable {
    /// Events examined.
    package var events: UInt64 = 0
    /// Signatures verified again.
    package var signatures: UInt64 = 0
    package var firstBad: AuditFinding?

    package init(firstBad: AuditFinding? = nil) {
        self.firstBad = firstBad
    }
}
