package import LedgerModel
package import PaidService
package import Primitives
import Revenue
import SubscriptionStatus

/// The subscribers in one situation.
package enum ChurnSegment: String, Sendable, CaseIterable {
    /// Active or in grace, with auto-renew off.
    case aboutToChurn
    /// The renewal failed, and Apple still retries.
    case inRetry
    /// The renewal failed, and was recovered or bought again.
    case recovered
    /// Each time that a paying subscriber left.
    case churned
    /// Gone for long enough, and not too long, for an offer.
    case winBack
    /// A free offer that nobody paid after.
    case trialNotConverted
}

/// A row of a segment; a unit may have several.
package struct SegmentRow: Hashable, Sendable {
    package let key: SubscriptionKey
    package let productId: Symbol?
    package var churnClass: ChurnClass?
    /// The instant from which auto-renew is off, the renewal failed, or the offer began.
    package var since: Instant?
    package var endedAt: Instant?
    package var churnedAt: Instant?
    package var recoveredAt: Instant?
    /// Whether the subscriber bought again, and no retry succeeded.
    package var boughtAgain: Bool?
    package var reactivatedAt: Instant?
    /// From 1.
    package var retryDay: Int?
    /// The days of paid service that count towards the higher share if the subscriber comes back at the instant in question; nil
    /// if earlier ones may be missing.
    package var paidDays: Int64?
    /// The instant at which the paid days reset to 0.
    package var accrualLostAt: Instant?
    package var offerIds: [String] = []
    package let evidence: [Position]

    fileprivate init(_ purchase: SubscriptionPurchase) {
        (key, productId) = (purchase.key, purchase.productId)
        evidence = Set([purchase.position] + purchase.ending.evidence).sorted()
    }

    fileprivate init(_ state: SubscriptionState) {
        (key, productId, evidence) = (state.key, state.productId, state.evidence)
    }
}

extension PurchaseUnit {
    package func rows(in segment: ChurnSegment, _ rules: Rules) -> [SegmentRow] {
        switch segment {
        case .aboutToChurn: bestState.flatMap { SegmentRow(aboutToChurn: $0) }.map { [$0] } ?? []
        case .inRetry: isActive ? [] : retryEpisodes(rules.churn).compactMap { SegmentRow(open: $0) }
        case .recovered: retryEpisodes(rules.churn).compactMap { SegmentRow(recovered: $0) }
        case .churned: churnEpisodes(rules.churn).map { SegmentRow($0) }
        case .winBack: SegmentRow(winBack: self, rules).map { [$0] } ?? []
        case .trialNotConverted: offerRuns.compactMap { SegmentRow(notConverted: $0) }
        }
    }

    private var isActive: Bool { states.contains { $0.status == .active } }

    /// The state of the key in the best status.
    fileprivate var bestState: SubscriptionState? {
        let order: [Status] = [.active, .gracePeriod, .billingRetry, .revoked, .expired]
        return order.lazy.compactMap { status in states.last { $0.status == status } }.first
    }
}

extension SegmentRow {
    fileprivate init?(aboutToChurn state: SubscriptionState) {
        guard [.active, .gracePeriod].contains(state.status), state.willRenew == false else { return nil }
        self.init(state)
        since = state.autoRenewOffSince
        endedAt = state.expiresAt
    }

    fileprivate init?(open episode: RetryEpisode) {
        guard episode.outcome == .open else { return nil }
        self.init(episode.purchase)
        (since, endedAt, retryDay) = (episode.failedAt, episode.failedAt, episode.day)
    }

    fileprivate init?(recovered episode: RetryEpisode) {
        switch episode.outcome {
        case .recovered(let at):
            self.init(episode.purchase)
            (recoveredAt, boughtAgain) = (at, false)
        case .boughtAgain(let at):
            self.init(episode.purchase)
            (recoveredAt, boughtAgain) = (at, true)
        case .lost, .open: return nil
        }
        (since, endedAt, retryDay) = (episode.failedAt, episode.failedAt, episode.day)
    }

    fileprivate init(_ episode: ChurnEpisode) {
        self.init(episode.purchase)
        (churnClass, endedAt, churnedAt) = (episode.churnClass, episode.endedAt, episode.churnedAt)
        reactivatedAt = episode.reactivatedAt
    }

    fileprivate init?(winBack unit: PurchaseUnit, _ rules: Rules) {
        guard let episode = unit.churnEpisodes(rules.churn).last, episode.reactivatedAt == nil else { return nil }
        func after(_ days: Int) -> Instant {
            episode.endedAt.advanced(byMilliseconds: Int64(days) * Instant.millisecondsPerDay)
        }
        guard after(rules.churn.winBackFromDays) <= unit.asOf, unit.asOf < after(rules.churn.winBackToDays) else {
            return nil
        }
        self.init(episode)
        paidDays = unit.isHistoryIncomplete ? nil : PaidDays(unit, rules.revenue).count(at: unit.asOf)
        accrualLostAt = after(rules.revenue.gapResetsAfterDays)
        offerIds = unit.bestState?.offerIds ?? []
    }

    fileprivate init?(notConverted run: OfferRun) {
        guard run.isFree, case .notConverted(let churnClass) = run.outcome else { return nil }
        self.init(run.last)
        self.churnClass = churnClass
        (since, endedAt) = (run.first.start, run.last.held?.upperBound ?? run.last.end)
    }
}
