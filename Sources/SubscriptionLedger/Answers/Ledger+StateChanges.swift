import AppStoreModel
import AppStoreTranslation
import EventLog
package import LedgerModel
package import Primitives
import ProjectionRuntime
import SubscriptionStatus

extension Ledger {
    /// What the event at a position changed: a row for each subscription whose status, product, willRenew or access is
    /// another with it than without it, as of the moment it was recorded. Empty for most events, and beyond the head.
    ///
    /// It compares states and not histories: an event that comes late may take back a change that time has made, which
    /// adds no transition and yet is what a backend must learn.
    package func stateChanges(at position: Position) throws -> [JSONValue] {
        guard let record = try log.record(at: position), record.evidenceLength > 0,
            let evidence = try log.evidence(at: position)
        else { return [] }
        let derived = try Derivation.event(record, evidence)
        let observations =
            EventFacts(bytes: derived.facts, position: position, recordedAt: record.recordedAt)?.observations ?? []
        let keys = Set(observations.compactMap(\.subscriptionKey))
        let before = try states(around: keys, at: record.recordedAt, knownAt: position)
        let after = try states(around: keys, at: record.recordedAt, knownAt: position + 1)
        let cause = observations.cause
        return after.values.sorted { $0.key < $1.key }
            .filter { $0.isChange(from: before[$0.key]) }
            .map { $0.change(from: before[$0.key], by: cause, record) }
    }

    private func states(
        around keys: Set<SubscriptionKey>, at instant: Instant, knownAt size: Position
    ) throws -> [SubscriptionKey: SubscriptionState] {
        var timelines: [SubscriptionKey: Timeline] = [:]
        for key in keys where timelines[key] == nil {
            timelines.merge(try self.derived.timelines(around: key, knownAt: size)) { known, _ in known }
        }
        let states = Lineage.components(of: timelines).states(at: instant, rules: configuration.rules)
        return Dictionary(states.map { ($0.key, $0) }) { first, _ in first }
    }
}

extension FiledObservation {
    fileprivate var subscriptionKey: SubscriptionKey? {
        if case .subscription(let key) = key { key } else { nil }
    }
}

extension [FiledObservation] {
    /// What the event is called: a notification by its type, else the kind of what was posted alone.
    fileprivate var cause: Cause {
        for filed in self {
            if case .notification(let fact) = filed.observation.fact, let type = fact.notificationType {
                return .notification(type, fact.subtype)
            }
        }
        for filed in self {
            if case .transaction = filed.observation.fact { return .transaction }
        }
        return .renewalInfo
    }
}

extension SubscriptionState {
    fileprivate func isChange(from other: SubscriptionState?) -> Bool {
        guard let other else { return true }
        return status != other.status || productId != other.productId || willRenew != other.willRenew
            || access != other.access
    }

    /// The members of a transition, with the event's position and what the state lets the customer do.
    fileprivate func change(from other: SubscriptionState?, by cause: Cause, _ record: Record) -> JSONValue {
        .object([
            "position": .integer(Int64(clamping: record.position)),
            "environment": .string(key.environment.rawValue), "bundleId": .string(key.bundleId),
            "originalTransactionId": .string(key.originalTransactionId), "at": JSONValue(record.recordedAt),
            "from": JSONValue(other?.status.rawValue), "to": .string(status.rawValue), "cause": .string(cause.name),
            "productId": JSONValue(productId), "transactionId": JSONValue(transactionId),
            "expiresAt": JSONValue(expiresAt), "entitled": .bool(entitled), "access": .string(access.rawValue),
            "willRenew": JSONValue(willRenew), "reason": .string(reason.rawValue),
            "recordedAt": JSONValue(record.recordedAt),
            "evidence": .array(evidence.map { .integer(Int64(clamping: $0)) }),
        ])
    }
}
