import FactStore
import LedgerModel

/// Everything that the state of a customer was read from. The state is current while none of it changes.
struct ReadSet: Sendable {
    /// The number of events that were known.
    let size: Position
    /// The index terms whose events were read.
    var terms: [IndexTerm] = []
    /// The external ids that no customer had.
    var unresolvedIDs: [ExternalCustomerID] = []
    /// The tokens that the vault had for each handle.
    var tokensByHandle: [CustomerHandle: [AppAccountToken]] = [:]

    init(size: Position) {
        self.size = size
    }

    /// Whether a new read would find the same. May be false although it would.
    func isCurrent(in ledger: LedgerReader) throws -> Bool {
        guard ledger.facts.isUnchanged(terms, since: size) else { return false }
        let vault = ledger.vault
        return try unresolvedIDs.allSatisfy { try vault?.customer(of: $0, createdBefore: .max) == nil }
            && tokensByHandle.allSatisfy { try vault?.tokens(of: $0.key, createdBefore: .max) ?? [] == $0.value }
    }
}
