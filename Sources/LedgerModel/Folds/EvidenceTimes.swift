import AppStoreModel
import Primitives

/// The signing times of the statements that notifications carry. A retried notification has a new signature but carries
/// the old statement.
struct EvidenceTimes {
    private var byDigest: [Digest: Instant] = [:]

    init(transactions: [Observed<TransactionFact>], renewalInfos: [Observed<RenewalFact>]) {
        for transaction in transactions { byDigest[transaction.source.name.digest] = transaction.source.time }
        for renewalInfo in renewalInfos { byDigest[renewalInfo.source.name.digest] = renewalInfo.source.time }
    }

    /// Returns the signedDate of the renewal info that the notification carries, else of its transaction, else its own.
    func time(of notification: Observed<NotificationFact>) -> Instant {
        let carried = [notification.value.signedRenewalInfo, notification.value.signedTransactionInfo]
        return carried.lazy.compactMap { $0.flatMap { byDigest[$0] } }.first ?? notification.source.time
    }
}
