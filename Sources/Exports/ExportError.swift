package import Primitives

/// The error for the name of a table that does not exist.
package struct TableUnknown: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ name: String) {
        diagnosis = Diagnosis(
            "table_unknown", "unknown table", expected: ExportTable.all.map(\.name).joined(separator: ", "),
            found: name)
    }
}

/// The refusal of an export that does not continue its base.
package struct ExportGap: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ message: String, expected: String, found: String) {
        diagnosis = Diagnosis(
            "export_gap", message, expected: expected, found: found,
            hint: "Name the manifest of the newest load, or export everything with --full.")
    }
}
