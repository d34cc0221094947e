import LedgerAPI
import LedgerStorage
import Primitives

/// The output of `audit verify`.
struct AuditAnswer {
    let report: AuditReport
    /// The disagreements; nil unless they were requested and the log is undamaged.
    let disagreements: [DisagreementRow]?
    let seconds: Double
    /// The checks that were not requested.
    var omitted: [String] = []

    func text(_ format: OutputFormat) -> String {
        switch format {
        case .json: json.serialized() + "\n"
        case .table: table
        }
    }

    private var json: JSONValue {
        var members = report.members + [.init("seconds", .double(seconds))]
        if let disagreements { members.append(.init("disagreements", disagreements.json)) }
        return .object(members)
    }
}

// MARK: - Table

extension AuditAnswer {
    private var table: String {
        let rows = [
            ("log", log), ("erased", erased), ("trust", trust), ("signatures", signatures), ("anchors", anchors),
        ]
        var lines = [verdict] + rows.compactMap { name, text in text.map { Self.line(name, $0) } }
        lines += report.neededRoots.map { Self.line("root", Self.text(of: $0)) }
        lines += report.derived.map { Self.line($0.part, Self.text(of: $0)) }
        if !omitted.isEmpty { lines.append(Self.line("not checked", omitted.joined(separator: ", "))) }
        return lines.joined(separator: "\n") + "\n" + disagreementTable
    }

    private static func line(_ name: String, _ text: String) -> String {
        name + String(repeating: " ", count: max(0, 13 - name.count)) + text
    }

    private var verdict: String {
        let time = "\((seconds * 1_000).rounded() / 1_000) s"
        return switch report.firstBad {
        case nil: "PASS  \(report.events) events, root \(report.root?.hex ?? "none"), \(time)"
        case .event(let position, let what): "FAIL  position \(position): \(what)  (\(time))"
        case .structure(let what): "FAIL  structure: \(what)  (\(time))"
        case .derived(let what): "FAIL  derived data: \(what). The log is sound. \(StorageError.rebuildHint)  (\(time))"
        case .rootNeeded: "FAIL  \(report.firstBad?.what ?? "") FILE. Nothing else is wrong.  (\(time))"
        }
    }

    private var log: String? {
        report.root.map { "\(report.events) of \(report.size) events are sound, root \($0.hex)" }
    }

    private var erased: String? {
        report.erased > 0 ? "the evidence of \(report.erased) events; their facts are kept" : nil
    }

    private var trust: String? {
        guard let counts = report.counts else { return nil }
        let classes = counts.classes.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        let roots = counts.configuredRoot > 0 ? "; \(counts.configuredRoot) of them rest on a root of yours" : ""
        return (classes.isEmpty ? "none" : classes.joined(separator: ", ")) + roots
    }

    private var signatures: String? { report.signatures > 0 ? "\(report.signatures) are valid" : nil }
    private var anchors: String? { report.anchors > 0 ? "\(report.anchors) are valid" : nil }

    private static func text(of root: AuditReport.NeededRoot) -> String {
        "\(root.sha256.hex) \(root.subject ?? "of an unreadable name"), needed by \(root.artifacts) artifacts, first at "
            + "position \(root.position)"
    }

    private static func text(of part: AuditReport.DerivedPart) -> String {
        let notes =
            [part.behind > 0 ? "\(part.behind) events behind the log" : nil, part.note].compactMap(\.self)
        let compared =
            part.compared == 0 && part.note != nil ? "not compared" : "\(part.compared) \(part.unit) are the same"
        return ([compared] + notes).joined(separator: ", ")
    }

    private var disagreementTable: String {
        guard let disagreements else { return "" }
        guard !disagreements.isEmpty else { return "all signed statuses agree\n" }
        let columns = ["originalTransactionId", "environment", "signedDate", "position", "signed", "folded"]
        return "\(disagreements.count) signed statuses differ\n"
            + AnswerTable.table(disagreements.map(\.json), columns)
    }
}
