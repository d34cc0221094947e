import LedgerAPI
import Primitives

/// Prints events in columns for people.
struct EventTable {
    private static let header = [
        "position", "recordedAt", "kind", "type", "productId", "originalTransactionId", "source", "body",
    ]

    private var columns = TextColumns()

    /// Writes the rows, with a header above the first ones.
    mutating func write(_ rows: [EventRow], to terminal: Terminal = .standardOutput) {
        guard !rows.isEmpty else { return }
        terminal.write(columns.text(of: (columns.widths.isEmpty ? [Self.header] : []) + rows.map(Self.cells)))
    }

    private static func cells(_ row: EventRow) -> [String] {
        let type = [row.about?.notificationType, row.about?.subtype].compactMap(\.self).joined(separator: "/")
        return [
            "\(row.position)", row.recordedAt.iso8601, row.kind, type.isEmpty ? "-" : type,
            row.about?.productId ?? "-", row.about?.originalTransactionId ?? "-", row.source, body(row),
        ]
    }

    /// The content of an event that is not, or not only, in its evidence: for acts all of it. Also the erasure of the
    /// evidence.
    private static func body(_ row: EventRow) -> String {
        let text = String(decoding: row.body, as: UTF8.self)
        let erasure = row.evidence.erasedBy.map { "evidence erased by \($0)" }
        return [text == "{}" ? nil : text, erasure].compactMap(\.self).joined(separator: " ").ifEmpty("-")
    }
}

extension String {
    fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}
