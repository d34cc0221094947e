import LedgerAPI
import Primitives

/// Events in columns, for people. The columns get the widths of the first rows printed, and widen for longer ones.
struct EventTable {
    private static let columns = [
        "position", "recordedAt", "kind", "type", "productId", "originalTransactionId", "source",
    ]

    private var widths: [Int] = []

    /// Writes the rows, under a header when they are the first.
    mutating func write(_ rows: [EventRow], to terminal: Terminal = .standardOutput) {
        guard !rows.isEmpty else { return }
        let lines = (widths.isEmpty ? [Self.columns] : []) + rows.map(Self.cells)
        widths = Self.columns.indices.map { column in
            max(widths.isEmpty ? 0 : widths[column], lines.map { $0[column].count }.max() ?? 0)
        }
        terminal.write(lines.map { line($0) }.joined())
    }

    private func line(_ cells: [String]) -> String {
        var line = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    private static func cells(_ row: EventRow) -> [String] {
        let type = [row.about?.notificationType, row.about?.subtype].compactMap(\.self).joined(separator: "/")
        return [
            "\(row.position)", row.recordedAt.iso8601, row.kind, type.isEmpty ? "-" : type,
            row.about?.productId ?? "-", row.about?.originalTransactionId ?? "-", row.source,
        ]
    }
}
