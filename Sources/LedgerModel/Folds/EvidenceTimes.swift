import AppStoreModel
import Primitives

/// The signing times of the statements that notifications carry. A retried notification has a new signature but carries
/// the old statement.
struct EvidenceTimes {
    private let byDigest: DigestIndex<Instant>

    init(transactions: [Observed<TransactionFact>], renewalInfos: [Observed<RenewalFact>]) {
        var times: [(digest: Digest, value: Instant)] = []
        times.reserveCapacity(transactions.count + renewalInfos.count)
        for transaction in transactions { times.append((transaction.source.name.digest, transaction.source.time)) }
        for renewalInfo in renewalInfos { times.append((renewalInfo.source.name.digest, renewalInfo.source.time)) }
        byDigest = DigestIndex(times)
    }

    /// Returns the signedDate of the renewal info that the notification carries, else of its transaction, else its own.
    func time(of notification: Observed<NotificationFact>) -> Instant {
        if let carried = notification.value.signedRenewalInfo, let time = byDigest[carried] { return time }
        if let carried = notification.value.signedTransactionInfo, let time = byDigest[carried] { return time }
        return notification.source.time
    }
}
