package import Primitives

/// The first fault found by an audit.
package enum AuditFinding: Hashable, Sendable {
    /// A fault of one event.
    case event(position: UInt64, what: String)
    /// A fault of the files.
    case structure(what: String)
}

/// The result of an audit.
package struct AuditReport: Hashable, Sendable {
    /// The number of sound events.
    package var events: UInt64 = 0
    /// The number of signatures verified again.
    package var signatures: UInt64 = 0
    /// The number of verified time stamps of checkpoints.
    package var anchors: UInt64 = 0
    package var firstBad: AuditFinding?

    package init(firstBad: AuditFinding? = nil) {
        self.firstBad = firstBad
    }
}

extension AuditFinding: JSONRepresentable {
    package var json: JSONValue {
        switch self {
        case .event(let position, let what):
            .object(["position": JSONValue(position: position), "what": .string(what)])
        case .structure(let what): .object(["structure": .string(what)])
        }
    }
}
