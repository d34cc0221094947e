package import AppStoreModel
import EventLog
import FactStore
import LMDB
package import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives

extension TransitionFeed {
    /// The maximum number of rows that a page scans. Rows of other environments are skipped.
    private static let longestScan: UInt64 = 10_000

    /// A page of rows in stored order, with the cursor of the next page.
    package struct Page: Sendable {
        /// The rows, each with the cursor after it.
        package fileprivate(set) var rows: [(row: TransitionRow, cursor: TransitionCursor)] = []
        /// The cursor after the last scanned row.
        package fileprivate(set) var cursor: TransitionCursor
        package fileprivate(set) var hasMore = false
    }

    /// Returns the rows of one environment after a cursor.
    ///
    /// - Parameters:
    ///   - cursor: nil starts at the first row.
    ///   - limit: the maximum number of rows. A page may be shorter or empty when many rows are of other environments.
    /// - Throws: `TransitionCursorError`; `busy` for a cursor beyond the rows rebuilt so far.
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
                // The names of merged customers need every event.
                if facts.isCatchingUp { try facts.catchUp(with: log) }
                var names = OwnerNames(facts, vault, size: facts.size)
                var next = start
                while next < progress.rowCount, page.rows.count < limit, next - start < Self.longestScan {
                    try WorkLimit.check()
                    let (digest, bytes) = try store.row(next, transaction)
                    guard let stored = StoredTransition(bytes) else { throw TransitionStore.damaged("row \(next)") }
                    page.cursor = TransitionCursor(sequence: sequence, count: next + 1, digest: digest)
                    if stored.environment == environment.rawValue {
                        page.rows.append((try row(stored, sequence: next, &names), page.cursor))
                    }
                    next += 1
                }
                page.hasMore = next < progress.rowCount
                return page
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the transitions failed")
        }
    }

    private func check(
        _ cursor: TransitionCursor, _ progress: TransitionStore.Progress, _ store: TransitionStore,
        _ transaction: borrowing ReadTransaction
    ) throws {
        let start = TransitionCursor(sequence: sequence, count: 0, digest: 0)
        guard cursor.sequenceID == start.sequenceID else { throw TransitionCursorError.ofAnotherLog }
        guard cursor.count <= progress.rowCount else {
            let due = try store.firstDue(transaction)?.at
            guard try log.size() <= progress.position, due.map({ $0 > clock() }) ?? true else {
                throw StorageError(.busy, "the transitions are being rebuilt from the log", hint: "Try again.")
            }
            throw TransitionCursorError.ahead(count: cursor.count, end: progress.rowCount)
        }
        let digest = try store.digest(ofRowsBelow: cursor.count, sequence: sequence, transaction)
        guard cursor == TransitionCursor(sequence: sequence, count: cursor.count, digest: digest) else {
            throw TransitionCursorError.ofAnotherLog
        }
    }

    private func row(
        _ stored: StoredTransition, sequence: UInt64, _ names: inout OwnerNames
    ) throws -> TransitionRow {
        TransitionRow(
            sequence: sequence, recordedAt: stored.recordedAt, effectiveAt: stored.effectiveAt,
            change: stored.change, cause: stored.cause, position: stored.position,
            customers: try stored.owners.flatMap { try names.names(of: $0) }, before: stored.before,
            after: stored.after)
    }

    /// Returns the bytes of every stored row, for comparison.
    package func storedRows() throws -> [[UInt8]] {
        let store = try store.current()
        return try store.environment.read { transaction in
            try (0..<(store.progress(transaction)?.rowCount ?? 0)).map { try store.row($0, transaction).row }
        }
    }
}

/// The names of owners, as known when the rows are read.
private struct OwnerNames {
    private let facts: FactIndex
    private let vault: VaultReader?
    private let size: Position
    private var known: [Ownership.Owner: [String]] = [:]

    init(_ facts: FactIndex, _ vault: VaultReader?, size: Position) {
        (self.facts, self.vault, self.size) = (facts, vault, size)
    }

    /// Returns the callers' ids of an owner and of customers merged into it, sorted; the handle or the token of an
    /// owner without ids.
    mutating func names(of owner: Ownership.Owner) throws -> [String] {
        if let names = known[owner] { return names }
        let names: [String]
        switch owner {
        case .customer(let handle): names = try self.names(of: handle)
        case .bearer(let token):
            names =
                try vault?.customer(of: ExternalCustomerID(token), createdBefore: .max).map { try self.names(of: $0) }
                ?? [token.text]
        }
        known[owner] = names
        return names
    }

    private func names(of handle: CustomerHandle) throws -> [String] {
        var lookup = CustomerLookup(in: facts, size: size)
        let customer = try lookup.customer(of: handle)
        let handles = [customer] + lookup.directory.handles(mergedInto: customer)
        let names = try handles.flatMap { try vault?.ids(of: $0) ?? [] }
        return names.isEmpty ? [customer.hex] : names.sorted()
    }
}
