import Primitives

/// A property list of the old style, with texts only: `{ "key" = "value"; }`.
package struct PropertyList: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: String
        package let value: String
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    package subscript(key: String) -> String? { entries.first { $0.key == key }?.value }

    mutating func add(_ key: String, _ value: String?) {
        if let value { entries.append(Entry(key: key, value: value)) }
    }

    /// Adds an instant in Apple's three forms: `KEY`, `KEY-ms` and `KEY-pst`.
    mutating func add(_ key: String, _ instant: Instant) {
        add(key, instant.inGreenwich)
        add(key + "-ms", "\(instant.milliseconds)")
        add(key + "-pst", instant.onPacificCoast)
    }

    package var bytes: [UInt8] {
        let lines = entries.map { "\t\"\($0.key)\" = \"\($0.value)\";\n" }
        return Array("{\n\(lines.joined())}".utf8)
    }

    /// Reads the form that `bytes` has; nil for any other.
    package init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count >= 2, lines.first == "{", lines.last == "}" else { return nil }
        for line in lines.dropFirst().dropLast() {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0] == "\t", parts[2] == " = ", parts[4] == ";" else { return nil }
            add(String(parts[1]), String(parts[3]))
        }
    }
}
