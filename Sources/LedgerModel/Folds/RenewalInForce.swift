package import AppStoreModel
package import Primitives

/// The renewal info that counts for a period at an instant.
package struct RenewalInForce: Hashable, Sendable {
    package let statement: Observed<RenewalFact>
    /// Whether it was signed after the instant and inside the period. It then counts for autoRenewStatus and
    /// autoRenewProductId only: terms, grace, retry, intent and price consent may be younger than the instant.
    package let isForeseen: Bool

    package var autoRenewStatus: AutoRenewStatus? { statement.value.autoRenewStatus }
    package var autoRenewProductId: String? { statement.value.autoRenewProductId }
    /// Everything it says; nil when it is foreseen.
    package var terms: RenewalFact? { isForeseen ? nil : statement.value }
}

extension Period {
    /// Inside the period the newest that speaks of it and was signed by `t`, else the first, foreseen. From the end on
    /// the newest signed by `t` and after the end; else the first signed after the end, since what became of a renewal
    /// is known in hindsight; else the newest.
    package func renewal(at t: Instant) -> RenewalInForce? {
        let next = renewalInfos.partitioningIndex { $0.source.time > t }
        let newest = next > 0 ? renewalInfos[next - 1] : nil
        guard let end = end(at: t), end <= t else {
            if let newest { return RenewalInForce(statement: newest, isForeseen: false) }
            return renewalInfos.first.map { RenewalInForce(statement: $0, isForeseen: true) }
        }
        if let newest, newest.source.time >= end { return RenewalInForce(statement: newest, isForeseen: false) }
        let inHindsight = next < renewalInfos.count ? renewalInfos[next] : nil
        return (inHindsight ?? newest).map { RenewalInForce(statement: $0, isForeseen: false) }
    }

    /// The signed status that counts at `t`, chosen as the renewal info it came with is.
    package func signedStatus(at t: Instant) -> SignedStatus? {
        let next = signedStatuses.partitioningIndex { $0.time > t }
        let newest = next > 0 ? signedStatuses[next - 1] : nil
        guard let end = end(at: t), end <= t else { return newest }
        if let newest, newest.time >= end { return newest }
        return next < signedStatuses.count ? signedStatuses[next] : newest
    }

    /// The signing of the first renewal info of the last run signed by `t` that says auto-renew is off; nil when the
    /// last says something else.
    package func autoRenewOffSince(at t: Instant) -> Instant? {
        var first: Instant?
        for renewalInfo in renewalInfos[..<renewalInfos.partitioningIndex { $0.source.time > t }].reversed() {
            guard renewalInfo.value.autoRenewStatus == .off else { break }
            first = renewalInfo.source.time
        }
        return first
    }
}
