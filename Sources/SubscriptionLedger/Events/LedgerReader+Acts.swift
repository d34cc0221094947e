import EventLog
package import LedgerModel
package import Primitives

/// The ledger's own acts: who linked, merged, transferred, granted, activated, closed, erased, and what was asked of
/// Apple.
extension LedgerReader {
    /// Calls `body` with each of the ledger's own events from a position on: its position, time and kind, the name of the
    /// API key or of the person (null for the operator of the command line), and the rest of its body.
    /// - Parameter by: selects one name; nil for all.
    /// - Complexity: O(n) for n events.
    package func forEachAct(from start: Position, by name: String?, _ body: (JSONValue) throws -> Void) throws {
        let size = try log.size()
        var position = start
        while position < size {
            try WorkLimit.check()
            guard let record = try log.record(at: position) else { return }
            position += 1
            guard record.trust == .own, let act = Self.act(in: record) else { continue }
            guard name == nil || act.by == name else { continue }
            try body(act.json)
        }
    }

    private static func act(in record: Record) -> (by: String?, json: JSONValue)? {
        guard let body = try? JSONDocument(parsing: record.body).root else { return nil }
        let by = body["key"]?.string ?? (record.kind == .rulesActivated ? body["by"]?.string : nil)
        // The rules themselves are in `log show`.
        let rest = body.members.filter { !["key", "rules", "checkpoint"].contains($0.key) }
        return (
            by,
            .object([
                "position": .integer(Int64(clamping: record.position)), "recordedAt": JSONValue(record.recordedAt),
                "kind": .string(record.kind.name), "source": .string(record.source.name), "name": JSONValue(by),
                "body": .object(rest.map { .init($0.key, JSONValue($0.value)) }),
            ])
        )
    }
}
