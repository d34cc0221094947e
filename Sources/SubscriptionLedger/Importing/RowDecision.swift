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

    /// The state of a row before its owner is decided.
    enum Finding: Sendable {
        /// Apple has to be asked.
        case unknown
        case decided(ImportVerdict)
        /// The purchases of the row, and the verdict unless another customer owns one of them.
        case found([SubscriptionKey], ImportVerdict)
    }

    /// Appends a signed row, and looks an id up.
    /// - Throws: `StorageError`.
    func find(_ row: ImportRow) async throws -> Finding {
        switch row.source {
        case .signed(let artifact, let kind): return try await find(artifact, kind)
        case .originalTransactionId(let id), .transactionId(let id):
            let keys = try ledger.reader.facts.keys(
                ofOriginalTransactionId: id, environment: row.environment, bundleId: row.bundleId)
            guard let key = keys.first else { return .unknown }
            guard keys.count == 1 else {
                return .decided(ImportVerdict(.refused, CustomerError.Code.parameterInvalid.rawValue))
            }
            return .found([key], ImportVerdict(.known))
        }
    }

    private func find(_ artifact: [UInt8], _ kind: ArtifactKind?) async throws -> Finding {
        let checked = await ledger.check(artifact, as: kind, source: .import)
        switch try await ledger.append([checked], source: .import)[0] {
        case .refused(let refusal, _), .kept(let refusal):
            return .decided(ImportVerdict(.refused, refusal.code.rawValue))
        case .appended(let result):
            let verdict = ImportVerdict(result.isAppended ? .filled : .known)
            let keys = try ledger.reader.facts.snapshot().keys(in: result.position..<result.position + 1)
            return keys.isEmpty ? .decided(verdict) : .found(keys.sorted(), verdict)
        }
    }

    /// Links purchases to the owner that the row names. As in a posting, the tokens of the purchases become the owner's
    /// unless they belong to another customer.
    /// - Returns: nil when the owner has them now, or when the row names none.
    func link(_ keys: [SubscriptionKey], _ row: ImportRow) async throws -> ImportVerdict? {
        guard let owner = row.owner else { return nil }
        var conflict: ImportVerdict?
        for key in keys {
            let linked = try await ledger.link(
                key, to: owner, mapping: try tokens(of: key, row), by: caller, source: .import)
            if linked == nil { conflict = ImportVerdict(.conflict, CustomerError.Code.linkRefused.rawValue) }
        }
        return conflict
    }

    /// The tokens that a link of the row would map.
    func tokens(of key: SubscriptionKey, _ row: ImportRow) throws -> Set<AppAccountToken> {
        guard row.owner != nil else { return [] }
        let stated = try ledger.reader.facts.timelines(around: key, knownAt: .max)[key]?.transactions ?? []
        let tokens = stated.map(\.value).filter { $0.inAppOwnershipType != .familyShared }
            .compactMap(\.appAccountToken)
        return Set(tokens + (row.token.map { [$0] } ?? []))
    }

    /// Decides a row alone.
    /// - Returns: nil when Apple has to be asked.
    func verdict(on row: ImportRow) async throws -> ImportVerdict? {
        switch try await find(row) {
        case .unknown: nil
        case .decided(let verdict): verdict
        case .found(let keys, let verdict): try await link(keys, row) ?? verdict
        }
    }
}
