package import AppStoreModel
import EventLog
import LMDB
package import LedgerAPI
import LedgerModel
import Primitives

extension TransitionFeed {
    /// Rows that a page looks at; those of another environment are passed over.
    private static let longestScan: UInt64 = 10_000

    /// Rows in their order, and where to go on.
    package struct Page: Sendable {
        /// Each with the cursor behind it.
        package fileprivate(set) var rows: [(row: TransitionRow, cursor: TransitionCursor)] = []
        /// Behind the last row that was looked at.
        package fileprivate(set) var cursor: TransitionCursor
        package fileprivate(set) var hasMore = false
    }

    /// The rows of one environment after a cursor.
    ///
    /// - Parameters:
    ///   - cursor: nil for the first row.
    ///   - limit: of rows; a page is shorter, even empty, where many rows are of other environments.
    /// - Throws: `TransitionCursorError`; `busy` for a cursor beyond the rows that are made again so far.
    package func page(
        after cursor: TransitionCursor?, limit: Int, environment: AppStoreModel.Environment
    ) throws -> Page {
        let store = try store.current()
        do {
            return try store.environment.read { transaction in
                guard let progress = try store.progress(transaction) else {
                    throw TransitionStore.damaged("the progress")
                }
                let start = cursor?.count ?? 0
                if let cursor { try check(cursor, progress, store, transaction) }
                let digest = try store.digest(ofRowsBelow: start, sequence: sequence, transaction)
                var page = Page(cursor: TransitionCursor(sequence: sequence, count: start, digest: digest))
                var next = start
                while next < progress.rowCount, page.rows.count < limit, next - start < Self.longestScan {
                    let (digest, bytes) = try store.row(next, transaction)
                    guard let stored = StoredTransition(bytes) else { throw TransitionStore.damaged("row \(next)") }
                    page.cursor = TransitionCursor(sequence: sequence, count: next + 1, digest: digest)
                    if stored.environment == environment.rawValue {
                        page.rows.append((try row(stored, sequence: next), page.cursor))
                    }
                    next += 1
                }
                page.hasMore = next < progress.rowCount
                return page
            }
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the transitions were not read")
        }
    }

    private func check(
        _ cursor: TransitionCursor, _ progress: TransitionStore.Progress, _ store: TransitionStore,
        _ transaction: borrowing ReadTransaction
    ) throws {
        let start = TransitionCursor(sequence: sequence, count: 0, digest: 0)
        guard cursor.sequenceID == start.sequenceID else { throw TransitionCursorError.ofAnotherLog }
        guard cursor.count <= progress.rowCount else {
            guard try log.head().size <= progress.position else {
                throw EventLogError(.busy, "the feed is made again from the log", hint: "Try again.")
            }
            throw TransitionCursorError.ahead(count: cursor.count, end: progress.rowCount)
        }
        let digest = try store.digest(ofRowsBelow: cursor.count, sequence: sequence, transaction)
        guard cursor == TransitionCursor(sequence: sequence, count: cursor.count, digest: digest) else {
            throw TransitionCursorError.ofAnotherLog
        }
    }

    private func row(_ stored: StoredTransition, sequence: UInt64) throws -> TransitionRow {
        TransitionRow(
            sequence: sequence, recordedAt: stored.recordedAt, effectiveAt: stored.effectiveAt,
            change: stored.change, cause: stored.cause, position: stored.position,
            customers: try stored.owners.flatMap(ids), before: stored.before, after: stored.after)
    }

    /// The vault knows an id only where it is a token; for any other the customer's handle stands.
    private func ids(of owner: Ownership.Owner) throws -> [String] {
        switch owner {
        case .bearer(let token): return [token.text]
        case .customer(let handle):
            let tokens = try vault?.tokens(of: handle, metBelow: .max) ?? []
            return tokens.isEmpty ? [handle.hex] : tokens.map(\.text)
        }
    }

    /// Every stored row as its bytes, for comparison.
    package func storedRows() throws -> [[UInt8]] {
        let store = try store.current()
        return try store.environment.read { transaction in
            try (0..<(store.progress(transaction)?.rowCount ?? 0)).map { try store.row($0, transaction).row }
        }
    }
}
