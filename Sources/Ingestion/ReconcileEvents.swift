package import EventLog
import FactStore
package import Primitives

/// Encodes the events that compare Apple's notification history with the log. The body has the window and the counts.
package enum ReconcileEvents {
    /// - Parameters:
    ///   - report: the comparison, an object.
    ///   - environment: that of the app.
    package static func reconciled(
        _ report: JSONValue, bundleId: String, environment: EnvironmentCode, source: EventSource
    ) -> EventDraft {
        guard case .object(var members) = report else { preconditionFailure("a comparison is an object") }
        members.append(.init("bundleId", .string(bundleId)))
        let body = JSONValue.object(members).canonical()
        return EventDraft(
            kind: .reconciled, source: source, environment: environment, artifact: .none, trust: .own,
            idempotencyKey: IdempotencyKey(
                artifact: .none, environment: environment, key: Digest.sha256(of: body).bytes),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body, attachment: IndexedFacts.none)
    }
}
