/// Aligns cells in columns that are two spaces apart. Columns widen for longer cells and never narrow.
struct TextColumns {
    private(set) var widths: [Int] = []

    /// - Parameter lines: lines with the same number of cells as all earlier lines.
    mutating func text(of lines: [[String]]) -> String {
        for line in lines {
            widths = line.indices.map { max(line[$0].count, widths.isEmpty ? 0 : widths[$0]) }
        }
        return lines.map(line).joined()
    }

    private func line(_ cells: [String]) -> String {
        var line = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
