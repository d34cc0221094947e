package import Primitives

/// The result of the checks of a bundle.
package struct BundleReport: Sendable {
    package struct Row: Sendable {
        package let number: Int
        package let name: String
        package internal(set) var outcome = Outcome.skipped
        /// The finding, or a condition of the outcome; nil for neither.
        package internal(set) var note: String?
        package let proves: String
        package let doesNotProve: String
    }

    package enum Outcome: String, Sendable {
        case pass = "PASS"
        case fail = "FAIL"
        /// An earlier check failed, or there is nothing to check.
        case skipped = "-"
    }

    package internal(set) var rows: [Row]
    /// The first file that is wrong; nil when none is.
    package internal(set) var firstBad: String?

    package var isSound: Bool { rows.allSatisfy { $0.outcome != .fail } }

    package var json: JSONValue {
        .object([
            "ok": .bool(isSound), "firstBad": JSONValue(firstBad),
            "checks": .array(
                rows.map { row in
                    .object([
                        "check": JSONValue(row.number), "name": .string(row.name),
                        "result": .string(row.outcome.rawValue), "note": JSONValue(row.note),
                        "proves": .string(row.proves), "doesNotProve": .string(row.doesNotProve),
                    ])
                }),
        ])
    }

    static let unchecked = BundleReport(rows: [
        Row(
            number: 2, name: "sums and their note", proves: "nothing changed since the operator made the bundle",
            doesNotProve: "that the operator is right"),
        Row(
            number: 3, name: "checkpoint and proofs", proves: "each record is in the log",
            doesNotProve: "that the log shows everybody the same; witnesses do"),
        Row(
            number: 4, name: "evidence", proves: "the evidence was logged", doesNotProve: "that it is true"),
        Row(
            number: 5, name: "Apple's signatures", proves: "Apple's key signed it",
            doesNotProve: "the date if that key leaked; revocation"),
        Row(
            number: 6, name: "time stamps", proves: "the first events existed then, and were not rewritten since",
            doesNotProve: "the times in the records, which are of the operator's clock"),
        Row(
            number: 7, name: "the answer", proves: "the answer follows from these events",
            doesNotProve: "that no event was left out"),
    ])
}

/// The first thing that is wrong in a bundle.
struct BundleFinding: Error {
    let file: String
    let what: String

    init(_ file: String, _ what: String) {
        (self.file, self.what) = (file, what)
    }
}
