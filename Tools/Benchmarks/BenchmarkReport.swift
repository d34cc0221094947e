import Primitives

struct BenchmarkResult: Sendable {
    let row: BenchmarkRow
    let measurement: Measurement

    var isMet: Bool {
        switch row.target {
        case .ratioAtLeast(let ratio): (measurement.ratio ?? 0) >= ratio
        case .valueAtLeast(let value): measurement.value >= value
        case .valueAtMost(let value): measurement.value <= value
        }
    }

    var json: JSONValue {
        let target: (name: String, value: Double) =
            switch row.target {
            case .ratioAtLeast(let ratio): ("targetRatio", ratio)
            case .valueAtLeast(let value), .valueAtMost(let value): ("targetValue", value)
            }
        return .object([
            "name": .string(row.name), "unit": .string(row.unit), "value": .double(measurement.value),
            "limitName": JSONValue(row.limitName), "limit": measurement.limit.map { .double($0) } ?? .null,
            "ratio": measurement.ratio.map { .double($0) } ?? .null, target.name: .double(target.value),
            "met": .bool(isMet), "runs": .array(measurement.values.map { .double($0) }),
            "note": .string(measurement.note),
        ])
    }

    var columns: [String] {
        let target =
            switch row.target {
            case .ratioAtLeast(let ratio): "ratio >= \(ratio)"
            case .valueAtLeast(let value): ">= \(value.short)"
            case .valueAtMost(let value): "<= \(value.short)"
            }
        return [
            row.name, measurement.value.short, measurement.limit?.short ?? "-", measurement.ratio?.short ?? "-", target,
            isMet ? "yes" : "NO", row.unit,
        ]
    }
}

extension Double {
    /// Three decimal places below 100, none from 100 on, with thousands separators.
    var short: String {
        guard magnitude >= 100 else { return "\((self * 1_000).rounded() / 1_000)" }
        var digits = Substring("\(Int64(rounded()))")
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}

/// The results as a table with one line per row, and as JSON.
struct BenchmarkReport: Sendable {
    let machine: Machine
    let swiftVersion: String
    let results: [BenchmarkResult]

    var json: JSONValue {
        .object([
            "schema": .integer(1), "machine": machine.json, "swift": .string(swiftVersion),
            "rows": .array(results.map(\.json)),
        ])
    }

    var table: String {
        let header = ["row", "ours", "limit", "ratio", "target", "met", "unit"]
        let rows = [header] + results.map(\.columns)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
                .joined(separator: "  ")
        }
        let notes = results.filter { !$0.measurement.note.isEmpty }.map { "\($0.row.name): \($0.measurement.note)" }
        return (lines + [""] + notes + [machine.description]).joined(separator: "\n")
    }
}
