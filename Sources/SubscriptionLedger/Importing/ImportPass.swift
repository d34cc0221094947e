import LedgerStorage
import Primitives

/// Reads the rows of an import in batches, and decides those that need no answer of Apple.
final class ImportPass {
    /// A row with its line.
    struct Row: Sendable {
        enum Outcome: Sendable {
            case decided(ImportVerdict)
            /// Apple has to be asked about the row.
            case asked(ImportRow)
        }

        let line: Int
        var outcome: Outcome
        var isStored = false
    }

    let caller: Caller
    private let file: ImportFile
    private let decision: RowDecision
    private let store: ImportStore
    private var lines: ImportLines

    /// - Throws: `io_error` when the file cannot be read.
    init(_ file: ImportFile, _ ledger: LedgerWriter, _ store: ImportStore) throws {
        self.file = file
        self.store = store
        lines = try ImportLines(file)
        caller = try lines.caller()
        decision = RowDecision(ledger: ledger, caller: caller)
    }

    /// Returns the next rows; nil after the last.
    /// - Parameter isDeciding: false to return only what is stored.
    /// - Throws: `StorageError`; `CancellationError`.
    func next(_ limit: Int, deciding isDeciding: Bool) async throws -> [Row]? {
        var rows: [Row] = []
        var unread: [(index: Int, row: ImportRow)] = []
        while rows.count < limit, let (line, bytes) = try lines.next() {
            try Task.checkCancellation()
            let row = try row(line, bytes, isDeciding)
            if case .asked(let asked) = row.outcome, !row.isStored, isDeciding { unread.append((rows.count, asked)) }
            rows.append(row)
        }
        guard !rows.isEmpty else { return nil }
        for (index, verdict) in try await decide(unread) { rows[index].outcome = .decided(verdict) }
        if isDeciding { try keep(rows) }
        return rows
    }

    private func row(_ line: Int, _ bytes: [UInt8], _ isDeciding: Bool) throws -> Row {
        let state = try store.state(of: file.digest, line: line)
        if case .decided(let verdict) = state {
            return Row(line: line, outcome: .decided(verdict), isStored: true)
        }
        do throws(ImportVerdict) {
            return Row(line: line, outcome: .asked(try ImportRow(bytes)), isStored: state == .asking)
        } catch {
            return Row(line: line, outcome: .decided(error))
        }
    }

    private func decide(
        _ rows: [(index: Int, row: ImportRow)]
    ) async throws -> [(index: Int, verdict: ImportVerdict)] {
        let decision = decision
        var finding = OrderedWork<ImportRow, RowDecision.Finding> { try await decision.find($0) }
        for (_, row) in rows { try await finding.add(row, contending: [row.name]) }
        let findings = try await finding.finish()
        var linking = OrderedWork<(index: Int, row: ImportRow, finding: RowDecision.Finding), (Int, ImportVerdict)?> {
            switch $0.finding {
            case .unknown: nil
            case .decided(let verdict): ($0.index, verdict)
            case .found(let keys, let verdict): ($0.index, try await decision.link(keys, $0.row) ?? verdict)
            }
        }
        for ((index, row), finding) in zip(rows, findings) {
            var contended: [AnyHashable] = []
            if case .found(let keys, _) = finding, row.owner != nil {
                contended = try keys.flatMap { key in [key] + Array(try decision.tokens(of: key, row)) }
            }
            try await linking.add((index, row, finding), contending: contended)
        }
        return try await linking.finish().compactMap { $0.map { (index: $0.0, verdict: $0.1) } }
    }

    private func keep(_ rows: [Row]) throws {
        var states: [Int: ImportStore.State] = [:]
        for row in rows where !row.isStored {
            if case .decided(let verdict) = row.outcome { states[row.line] = .decided(verdict) }
        }
        try store.store(states, of: file.digest)
    }
}
