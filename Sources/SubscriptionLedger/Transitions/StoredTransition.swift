import AppStoreModel
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

/// A stored row of the feed. Its owners are handles and tokens, not the callers' ids.
struct StoredTransition: Sendable {
    var environment: String
    var recordedAt: Instant
    var effectiveAt: Instant
    var change: [String]
    var cause: String
    var position: Position
    /// The owners after the change, sorted.
    var owners: [Ownership.Owner]
    /// The `SubscriptionRow` before the change, or null. `after` is the row after the change, or null.
    var before: JSONValue
    var after: JSONValue

    var bytes: [UInt8] {
        let row = JSONValue.object([
            "environment": .string(environment), "recordedAt": .integer(recordedAt.milliseconds),
            "effectiveAt": .integer(effectiveAt.milliseconds), "change": .array(change.map { .string($0) }),
            "cause": .string(cause), "position": .integer(Int64(clamping: position)),
            "owners": .array(owners.map { .string($0.text) }), "before": before, "after": after,
        ])
        return Array(row.serialized().utf8)
    }
}

extension StoredTransition {
    /// - Parameter position: the newest event that the row is based on.
    init(_ row: TransitionDraft, position: Position) {
        self.init(
            environment: row.key.environment.rawValue, recordedAt: row.recordedAt, effectiveAt: row.effectiveAt,
            change: row.change.map(\.rawValue), cause: row.cause, position: position, owners: row.owners.sorted(),
            before: JSONValue(row.before.map { SubscriptionRow($0) }),
            after: JSONValue(row.after.map { SubscriptionRow($0) }))
    }

    /// Creates a row from its stored bytes; nil when they are damaged.
    init?(_ bytes: [UInt8]) {
        guard let row = try? JSONDocument(parsing: bytes).root,
            let environment = row["environment"]?.string, let recordedAt = row["recordedAt"]?.integer,
            let effectiveAt = row["effectiveAt"]?.integer, let change = row["change"]?.elements,
            let cause = row["cause"]?.string, let position = row["position"]?.integer,
            let owners = row["owners"]?.elements, let before = row["before"], let after = row["after"]
        else { return nil }
        self.environment = environment
        self.recordedAt = Instant(milliseconds: recordedAt)
        self.effectiveAt = Instant(milliseconds: effectiveAt)
        self.change = change.compactMap(\.string)
        self.cause = cause
        self.position = Position(clamping: position)
        self.owners = owners.compactMap { $0.string.flatMap(Ownership.Owner.init) }
        self.before = .verbatim(Array(bytes[before.byteRange]))
        self.after = .verbatim(Array(bytes[after.byteRange]))
    }
}
