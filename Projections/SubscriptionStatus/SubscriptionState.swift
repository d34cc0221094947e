package import AppStoreModel
package import LedgerModel
package import Primitives

/// The answer for one key at one instant: a row of `state`.
package struct SubscriptionState: Hashable, Sendable {
    package let key: SubscriptionKey
    package let productId: String?
    package let status: Status
    package let access: Access
    package let willRenew: Bool?
    package let pendingProductId: String?
    package let ownership: InAppOwnershipType?
    package let purchasedAt: Instant
    package let expiresAt: Instant?
    package let gracePeriodExpiresAt: Instant?
    package let revokedAt: Instant?
    package let priceIncrease: PriceIncrease?
    package let reason: Reason
    package let nextStep: NextStep
    /// Of the period that gives the product; nil when that is implied.
    package let transactionId: String?
    package let rule: Rule
    /// The rule in a sentence.
    package let words: String
    /// The positions it rests on, ascending.
    package let evidence: [Position]

    package var entitled: Bool { access != .none }
}

extension SubscriptionState {
    init(_ moment: Moment) {
        let rule = moment.rule
        key = moment.key
        productId = moment.period.productId
        status = rule.status
        access = moment.access
        willRenew = moment.willRenew
        pendingProductId = moment.pendingProductId
        ownership = moment.period.inAppOwnershipType
        purchasedAt = moment.period.start
        expiresAt = moment.expiresAt
        gracePeriodExpiresAt = rule.status == .gracePeriod ? moment.renewal?.gracePeriodExpiresDate : nil
        revokedAt = rule.status == .revoked ? moment.revokedAt : nil
        priceIncrease = moment.priceIncrease
        reason = moment.reason
        nextStep = moment.nextStep
        transactionId = moment.period.transactionId
        self.rule = rule
        words = moment.words
        evidence = moment.evidence
    }
}

extension Moment {
    fileprivate var revokedAt: Instant? {
        newest.revocation(at: t)?.start ?? signedStatus?.source.time
    }

    /// Of every statement that the row rests on: what gives the product and when it ends, what ended or replaced
    /// it, and the renewal info in force.
    fileprivate var evidence: [Position] {
        var sources = [period.sources.first, renewalSource, signedStatus?.source]
        sources += chain.map { $0.expiresDate.value(at: t)?.statement.source }
        sources.append(newest.revocation(at: t)?.source)
        if newest.isReplaced(at: t) { sources.append(newest.replacement?.sources.first) }
        return [Position](distinct: sources.compactMap(\.?.position))
    }
}

extension [Position] {
    /// Ascending, each once.
    init(distinct positions: [Position]) {
        self = Set(positions).sorted()
    }
}
