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
            throw InvalidClose("invalid name of a close", expected: "\(Rules.nameForm), and no @", found: terms.name)
        }
        let size = try reader.knownSize(nil)
        guard terms.size <= size else {
            throw InvalidClose(
                "the numbers know more than the log", expected: "at most \(size)", found: "\(terms.size)")
        }
        let newest = try reader.closes.newest(knownAt: size)?.position
        _ = try await append(
            CloseEvents.closed(terms, cells: Array(numbers.cells.utf8), after: newest, source: source))
        return try reader.close(named: terms.name)
    }
}
