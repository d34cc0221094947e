import AppStoreModel
import Primitives

extension Transaction {
    var subscriptionKey: SubscriptionKey? {
        guard let environment, let bundleId, let otid = originalTransactionId?.stated else { return nil }
        return SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: otid)
    }
}

extension RenewalInfo {
    func subscriptionKey(bundleId: String) -> SubscriptionKey? {
        guard let environment, let otid = originalTransactionId?.stated else { return nil }
        return SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: otid)
    }
}

extension AppTransaction {
    var appAccountKey: AppAccountKey? {
        guard let receiptType, let bundleId else { return nil }
        let account =
            appTransactionId?.appleID.map(AppAccountKey.Account.appTransaction)
            ?? AppAccountKey.Account(
                firstDownloadAt: originalPurchaseDate, version: originalApplicationVersion, in: receiptType)
        return account.map { AppAccountKey(environment: receiptType, bundleId: bundleId, account: $0) }
    }
}

extension String {
    /// The string; nil if it is empty. Apple writes some absent fields as empty strings.
    package var stated: String? { isEmpty ? nil : self }
}

extension String {
    /// The stated text as a fact holds it.
    var symbol: Symbol? { stated.map { Symbol($0) } }
    var appleID: AppleID? { stated.map { AppleID($0) } }
}

extension OpenVocabulary {
    var stated: Self? { symbol == .empty ? nil : self }
}
