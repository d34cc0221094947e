import Differences
import EventLog
import Ingestion
package import LedgerAPI
import LedgerModel
package import Primitives

extension LedgerWriter {
    /// Stores numbers under their name. A second close of a name is a new version.
    /// - Returns: the close with its numbers.
    /// - Throws: `InvalidClose`; `StorageError`.
    package func close(_ numbers: ClosingNumbers, source: EventSource = .operator) async throws -> CloseAnswer {
        let terms = numbers.terms
        guard Rules.isName(terms.name), !terms.name.contains("@") else {
            throw InvalidClose("invalid close name", expected: "\(Rules.nameForm), and no @", found: terms.name)
        }
        let size = try reader.knownSize(nil)
        guard terms.size <= size else {
            throw InvalidClose(
                "the numbers include events that are not in the log", expected: "at most \(size)",
                found: "\(terms.size)")
        }
        guard terms.asOf <= configuration.clock() else {
            throw InvalidClose("the period has not ended", expected: "an end in the past", found: terms.asOf.iso8601)
        }
        guard NumberCell.read(Array(numbers.cells.utf8)) != nil else {
            throw InvalidClose("the numbers cannot be read", expected: "a number in each line", found: "other lines")
        }
        let newest = try reader.closes.newest(knownAt: size)?.position
        let draft = CloseEvents.closed(terms, cells: Array(numbers.cells.utf8), after: newest, source: source)
        guard draft.fitsRecord else {
            throw InvalidClose("the close metadata is too large", expected: "at most 4 KiB", found: "more")
        }
        _ = try await append(draft)
        return try reader.close(named: terms.name)
    }
}
