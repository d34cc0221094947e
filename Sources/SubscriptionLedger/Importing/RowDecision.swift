import AppStoreClient
import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives

/// Decides rows of an import with what the log has.
struct RowDecision: Sendable {
    let ledger: LedgerWriter
    let caller: Caller

    /// Appends a signed row, and looks an id up.
    /// - Returns: nil when Apple has to be asked.
    /// - Throws: `StorageError`.
    func verdict(on row: ImportRow) async throws -> ImportVerdict? {
        switch row.source {
        case .jws(let jws): return try await verdict(on: jws, row)
        case .receipt: return ImportVerdict(.refused, RefusalCode.kindUnknown.rawValue)
        case .originalTransactionId(let id), .transactionId(let id):
            let keys = try ledger.reader.facts.keys(
                ofOriginalTransactionId: id, environment: row.environment, bundleId: row.bundleId)
            guard let key = keys.first else { return nil }
            guard keys.count == 1 else {
                return ImportVerdict(.refused, CustomerError.Code.parameterInvalid.rawValue)
            }
            return try await link(key, row) ?? ImportVerdict(.known)
        }
    }

    private func verdict(on jws: [UInt8], _ row: ImportRow) async throws -> ImportVerdict {
        let checked = await ledger.check(jws, source: .import)
        let outcome = try await ledger.append([checked], source: .import)[0]
        switch outcome {
        case .refused(let refusal, _): return ImportVerdict(.refused, refusal.code.rawValue)
        case .appended(let result):
            let keys = try ledger.reader.facts.snapshot().keys(in: result.position..<result.position + 1)
            for key in keys.sorted() {
                if let conflict = try await link(key, row) { return conflict }
            }
            return ImportVerdict(result.isAppended ? .filled : .known)
        }
    }

    /// Links a key to the owner that the row names. As in a posting, the tokens of the purchase become the owner's unless
    /// they belong to another customer.
    /// - Returns: nil when the owner has it now, or when the row names none.
    func link(_ key: SubscriptionKey, _ row: ImportRow) async throws -> ImportVerdict? {
        guard let owner = row.owner else { return nil }
        let stated = try ledger.reader.facts.timelines(around: key, knownAt: .max)[key]?.transactions ?? []
        let tokens = stated.map(\.value).filter { $0.inAppOwnershipType != .familyShared }.compactMap(\.appAccountToken)
        let linked = try await ledger.link(
            key, to: owner, mapping: Set(tokens + (row.token.map { [$0] } ?? [])), by: caller, source: .import)
        return linked == nil ? ImportVerdict(.conflict, CustomerError.Code.linkRefused.rawValue) : nil
    }
}
