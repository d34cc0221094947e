import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives

/// A row of RevenueCat's export, after the comparison.
package struct ComparedRow: Sendable {
    package let line: Int
    /// `known` when the ledger agrees, `conflict` when it differs, `unknown_id` when it has no such transaction.
    package let verdict: ImportVerdict
    package var customerId: String?
    package var transactionId: String?
    package var disagreements: [ColumnDisagreement] = []

    package var json: JSONValue {
        guard case .object(var members) = ImportLine(line: line, verdict: verdict).json else { return .null }
        if let customerId { members.append(.init("customer", .string(customerId))) }
        if let transactionId { members.append(.init("transactionId", .string(transactionId))) }
        if !disagreements.isEmpty { members.append(.init("disagreements", .array(disagreements.map(\.json)))) }
        return .object(members)
    }
}

/// Records what RevenueCat asserts about transactions, and compares it with the ledger.
///
/// The assertions are events that no fold reads: they grant nothing, and change no answer. They have no id or attribute
/// of a customer, but the handle of the customer with that id.
package struct RevenueCatImport {
    private let ledger: LedgerWriter
    private var records: CSVRecords
    private var columns: RevenueCatColumns?
    private var comparison: RevenueCatComparison

    /// - Throws: `StorageError`.
    package init(_ ledger: LedgerWriter) throws {
        self.ledger = ledger
        records = CSVRecords()
        comparison = try RevenueCatComparison(ledger.reader)
    }

    /// Reads the next bytes of the file.
    /// - Returns: the rows that end in them.
    /// - Throws: `posting_malformed` when the file is no export; `StorageError`. What was read stays in the log.
    package mutating func read(_ bytes: [UInt8]) async throws -> [ComparedRow] {
        try await compare(records.read(bytes))
    }

    /// Reads a last row without a line break.
    package mutating func finish() async throws -> [ComparedRow] {
        try await compare(records.finish().map { [$0] } ?? [])
    }

    private mutating func compare(_ records: [CSVRecords.Record]) async throws -> [ComparedRow] {
        var rows: [(line: Int, row: Result<RevenueCatRow, ImportVerdict>)] = []
        for record in records {
            guard let columns else {
                columns = try RevenueCatColumns(record.fields ?? [])
                continue
            }
            rows.append((record.line, columns.result(record)))
        }
        var compared: [ComparedRow] = []
        var assertions: [CheckedArtifact] = []
        for (line, row) in rows {
            switch row {
            case .failure(let verdict): compared.append(ComparedRow(line: line, verdict: verdict))
            case .success(let row):
                let name = try ExternalCustomerID(row.customerId)
                let customer = try await ledger.vault.findOrCreateCustomer(
                    name, logSize: ledger.reader.knownSize(nil))
                let draft = AssertionEvents.asserted(
                    row.json, by: "revenuecat", about: customer,
                    environment: EnvironmentCode(name: row.environment) ?? .none)
                guard draft.fitsRecord else {
                    compared.append(ComparedRow(line: line, verdict: .malformed("row_too_large")))
                    continue
                }
                assertions.append(.accepted(ledger.log.prepare(draft)))
                compared.append(
                    ComparedRow(line, row, try comparison.disagreements(row, of: customer)))
            }
        }
        if !assertions.isEmpty { _ = try await ledger.append(assertions, source: .import) }
        return compared
    }
}

extension RevenueCatColumns {
    private static let anotherStore = ImportVerdict(.refused, "store_unsupported")

    fileprivate func result(_ record: CSVRecords.Record) -> Result<RevenueCatRow, ImportVerdict> {
        guard let fields = record.fields else { return .failure(.malformed("csv_malformed")) }
        do throws(ImportVerdict) {
            guard let row = try row(fields) else { return .failure(Self.anotherStore) }
            guard (try? ExternalCustomerID(row.customerId)) != nil else {
                return .failure(.malformed("rc_original_app_user_id"))
            }
            return .success(row)
        } catch {
            return .failure(error)
        }
    }
}

extension ComparedRow {
    fileprivate init(_ line: Int, _ row: RevenueCatRow, _ disagreements: [ColumnDisagreement]?) {
        self.line = line
        (customerId, transactionId) = (row.customerId, row.transactionId)
        self.disagreements = disagreements ?? []
        verdict =
            if let disagreements {
                disagreements.first.map { ImportVerdict(.conflict, $0.column) } ?? ImportVerdict(.known)
            } else {
                ImportVerdict(.unknownId)
            }
    }
}

extension RevenueCatRow {
    /// The assertion as an event stores it.
    fileprivate var json: JSONValue {
        .object([
            .init("store_transaction_id", .string(transactionId)),
            .init("original_store_transaction_id", .string(originalTransactionId)),
            .init("renewal_number", JSONValue(renewalNumber)), .init("product_identifier", .string(productId)),
            .init("start_time", JSONValue(startTime)), .init("end_time", JSONValue(endTime)),
            .init("is_auto_renewable", .bool(isAutoRenewable)), .init("is_trial_period", .bool(isTrial)),
            .init("is_in_intro_offer_period", .bool(isIntroOffer)), .init("is_sandbox", .bool(isSandbox)),
            .init("ownership_type", JSONValue(ownership)), .init("purchased_currency", JSONValue(currency)),
            .init("purchase_price_in_purchased_currency", JSONValue(price)),
            .init("refunded_at", JSONValue(refundedAt)), .init("updated_at", JSONValue(updatedAt)),
        ])
    }
}
