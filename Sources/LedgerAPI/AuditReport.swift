package import Primitives

/// The first fault found by an audit.
package enum AuditFinding: Hashable, Sendable {
    /// A fault of one event.
    case event(position: UInt64, what: String)
    /// A fault of the files.
    case structure(what: String)
    /// Data that is derived from the log differs from it. The log is sound.
    case derived(what: String)
    /// Nothing is wrong, but signatures rest on roots of the operator's that the auditor did not name.
    case rootNeeded(position: UInt64, roots: Int)
}

/// The result of an audit.
package struct AuditReport: Hashable, Sendable {
    /// The size of the log that was audited.
    package var size: UInt64 = 0
    /// The root of the log at this size; nil when the log cannot be opened.
    package var root: Digest?
    /// The number of sound events.
    package var events: UInt64 = 0
    /// The number of sound events whose evidence was erased.
    package var erased: UInt64 = 0
    /// The number of signatures verified again.
    package var signatures: UInt64 = 0
    /// The number of verified time stamps of checkpoints.
    package var anchors: UInt64 = 0
    /// The sound events by trust class; nil when no event was read.
    package var counts: Counts?
    /// The roots that the auditor lacks.
    package var neededRoots: [NeededRoot] = []
    /// The derived data that was compared with the log.
    package var derived: [DerivedPart] = []
    package var firstBad: AuditFinding?

    package init(firstBad: AuditFinding? = nil) {
        self.firstBad = firstBad
    }
}

extension AuditReport {
    /// Events by the reason to trust them.
    package struct Counts: Hashable, Sendable {
        package var signed: UInt64
        package var fetched: UInt64
        package var sharedSecret: UInt64
        package var asserted: UInt64
        package var own: UInt64
        /// The events that rest on a root of the operator's; each is in its class as well.
        package var configuredRoot: UInt64

        package init(
            signed: UInt64, fetched: UInt64, sharedSecret: UInt64, asserted: UInt64, own: UInt64, configuredRoot: UInt64
        ) {
            self.signed = signed
            self.fetched = fetched
            self.sharedSecret = sharedSecret
            self.asserted = asserted
            self.own = own
            self.configuredRoot = configuredRoot
        }
    }

    /// A root that an operator configured and that the auditor did not name.
    package struct NeededRoot: Hashable, Sendable {
        package let sha256: Digest
        /// The distinguished name that artifacts state; nil for unreadable ones.
        package let subject: String?
        /// The number of artifacts that need it.
        package var artifacts: UInt64
        /// The position of the first of them.
        package let position: UInt64

        package init(sha256: Digest, subject: String?, artifacts: UInt64, position: UInt64) {
            self.sha256 = sha256
            self.subject = subject
            self.artifacts = artifacts
            self.position = position
        }
    }

    /// A part of the derived data.
    package struct DerivedPart: Hashable, Sendable {
        package let part: String
        /// The number of items that equal those that the log gives, in the unit of the part.
        package let compared: UInt64
        package let unit: String
        /// The number of the log's events that the part does not contain yet.
        package let behind: UInt64
        /// The reason that the part, or the rest of it, was not compared.
        package let note: String?

        package init(_ part: String, compared: UInt64, unit: String, behind: UInt64 = 0, note: String? = nil) {
            self.part = part
            self.compared = compared
            self.unit = unit
            self.behind = behind
            self.note = note
        }
    }
}
