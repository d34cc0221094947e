package import AppStoreModel
import Primitives

/// Removes from facts what names a person: the person's appAccountTokens, and the appTransactionIds that have a random id
/// to take their place. All else stays, so folds and sums stay, too.
package struct Pseudonyms: Sendable {
    private let tokens: Set<AppAccountToken>
    private let accounts: [AppAccountKey: AppleID]

    /// - Parameter accounts: the random ids of Apple accounts named by appTransactionIds.
    package init(without tokens: Set<AppAccountToken>, accounts: [AppAccountKey: AppleID]) {
        self.tokens = tokens
        self.accounts = accounts
    }

    package func applied(to keyed: KeyedObservation) -> KeyedObservation {
        let (source, fact) = (keyed.observation.source, keyed.observation.fact)
        return KeyedObservation(
            key: applied(to: keyed.key), observation: Observation(source: source, fact: applied(to: fact, keyed.key)))
    }

    private func applied(to key: TimelineKey) -> TimelineKey {
        guard case .appAccount(let account) = key, let id = accounts[account] else { return key }
        return .appAccount(
            AppAccountKey(
                environment: account.environment, bundle: account.bundle, account: .appTransaction(id)))
    }

    private func applied(to fact: Fact, _ key: TimelineKey) -> Fact {
        switch fact {
        case .transaction(var transaction):
            transaction.appAccountToken = kept(transaction.appAccountToken)
            transaction.appTransactionId = replaced(transaction.appTransactionId, key)
            return .transaction(transaction)
        case .renewal(var renewal):
            renewal.appAccountToken = kept(renewal.appAccountToken)
            renewal.appTransactionId = replaced(renewal.appTransactionId, key)
            return .renewal(renewal)
        case .notification, .app: return fact
        }
    }

    private func kept(_ token: AppAccountToken?) -> AppAccountToken? {
        token.flatMap { tokens.contains($0) ? nil : $0 }
    }

    private func replaced(_ id: AppleID?, _ key: TimelineKey) -> AppleID? {
        guard let id, let account = AppAccountKey(naming: id, in: key) else { return id }
        return accounts[account] ?? id
    }
}

extension KeyedObservation {
    /// The Apple account that the observation names by an appTransactionId; nil when it names none.
    package var appleAccount: AppAccountKey? {
        if case .appAccount(let account) = key { return account.namesAppleAccount ? account : nil }
        return observation.fact.appTransactionId.flatMap { AppAccountKey(naming: $0, in: key) }
    }
}

extension AppAccountKey {
    /// Creates the key of the account that an observation of a subscription names; nil for another observation.
    fileprivate init?(naming id: AppleID, in key: TimelineKey) {
        guard case .subscription(let key) = key else { return nil }
        self.init(environment: key.environment, bundle: key.bundle, account: .appTransaction(id))
    }
}
