import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus

/// The polls of one auto-renewable subscription.
struct PolledSubscription {
    private let subscription: Subscription
    private let lineage: Lineage
    private let state: SubscriptionState
    private let asked: AskedAccount
    private let t: Instant
    /// The latest purchase, or its renewal that is already charged.
    private let period: Period
    private let end: Instant
    private let waits: PollWaits

    /// Nil for anything but an auto-renewable subscription.
    init?(
        _ subscription: Subscription, of lineage: Lineage, _ state: SubscriptionState, _ asked: AskedAccount,
        _ policy: PollPolicy, at t: Instant
    ) {
        guard let begun = subscription.periods.latest(begunBy: t), [nil, .autoRenewable].contains(begun.type) else {
            return nil
        }
        let period = subscription.periods.lastCharged(from: begun, by: t)
        guard let end = period.end(at: t) else { return nil }
        (self.subscription, self.lineage, self.state) = (subscription, lineage, state)
        (self.asked, self.t, self.period, self.end) = (asked, t, period, end)
        waits = PollWaits(policy, subscription.key, length: end.milliseconds - period.start.milliseconds)
    }

    var duePolls: [DuePoll] {
        [implied, missing, inferred, disagreement, secondAnswer, periodEnded, retry, beforeEnd, reversal, sweep]
            .compactMap(\.self)
    }

    // MARK: - At once

    private var implied: DuePoll? {
        guard !period.isKnown, let source = period.firstSource else { return nil }
        return atOnce(.implied, since: source.recordedAt)
    }

    /// A transaction is missing that the answer about the status does not contain.
    private var missing: DuePoll? {
        guard let since = missingSince, asked.historyAt.map({ $0 < since }) ?? true else { return nil }
        let (attempt, at, _) = waits.question(from: since, after: asked.historyFailedAt)
        return DuePoll(key: subscription.key, reason: .implied, question: .history, dueAt: at, attempt: attempt)
    }

    /// The time from which a transaction is known to be missing.
    private var missingSince: Instant? {
        var times: [Instant] = []
        if lineage.isHistoryIncomplete {
            times += subscription.periods.compactMap(\.firstSource?.recordedAt)
        }
        // The answer about the status usually states the period that a renewal info implies.
        for implied in subscription.periods where !implied.isKnown && implied.start <= t {
            if let since = implied.firstSource?.recordedAt, asked.isAnswered(since: since) { times.append(since) }
        }
        let known = subscription.periods.filter(\.isKnown)
        for (earlier, later) in zip(known, known.dropFirst()) where later.transactionReason == .renewal {
            guard let end = earlier.end(at: t), let since = later.firstSource?.recordedAt,
                later.start > end.advanced(byMilliseconds: Instant.millisecondsPerHour), !earlier.statesFailure
            else { continue }
            times.append(since)
        }
        return times.max()
    }

    private var inferred: DuePoll? {
        guard let since = lastRecordedAt else { return nil }
        if !state.inferred.isEmpty { return atOnce(.inferred, since: since) }
        guard isRenewalUnknown else { return nil }
        let expected = since.advanced(byMilliseconds: waits.renewalInfo)
        return atOnce(.inferred, since: since, from: max(expected, period.start))
    }

    /// Whether it is unknown if the latest purchase renews. Apple sends no renewal info to family members.
    private var isRenewalUnknown: Bool {
        guard state.entitled, period.inAppOwnershipType != .familyShared else { return false }
        // Until a renewal that is already charged begins, the state is that of the period before, which is known to renew.
        guard period.start > t else { return state.willRenew == nil }
        return period.renewal(at: period.start)?.autoRenewStatus == nil
    }

    private var disagreement: DuePoll? {
        guard let disagreement = state.disagreement,
            let statement = subscription.notifications.first(where: { $0.source.position == disagreement.position })
        else { return nil }
        return atOnce(.disagreement, since: statement.source.recordedAt)
    }

    /// - Parameter first: the time of the first question; nil for `since`.
    private func atOnce(_ reason: PollReason, since: Instant, from first: Instant? = nil) -> DuePoll? {
        guard !asked.isAnswered(since: since) else { return nil }
        let first = first ?? since
        let (attempt, at, _) = waits.question(from: first, after: unanswered(since: first))
        return DuePoll(key: subscription.key, reason: reason, question: .statuses, dueAt: at, attempt: attempt)
    }

    /// The last question since an instant.
    private func unanswered(since instant: Instant) -> Instant? {
        asked.lastAsked.flatMap { $0 >= instant ? $0 : nil }
    }

    /// The time at which the last statement about the subscription was recorded.
    private var lastRecordedAt: Instant? {
        let periods = subscription.periods.flatMap(\.sources).map(\.recordedAt)
        let renewals = subscription.periods.flatMap(\.renewalInfos).map(\.source.recordedAt)
        return (periods + renewals + subscription.notifications.map(\.source.recordedAt)).max()
    }

    // MARK: - At the end of a period

    private var periodEnded: DuePoll? {
        guard isOutcomeUnknown, !isEndConfirmed else { return nil }
        let first = end.advanced(byMilliseconds: waits.afterPeriodEnd)
        let (attempt, at, interval) = waits.question(from: first, after: asked.lastAsked)
        guard attempt == 1 || at <= first.advanced(byMilliseconds: waits.retrying) else { return nil }
        return due(.periodEnded, at, attempt, interval)
    }

    private var isOutcomeUnknown: Bool {
        switch state.decision {
        case .periodCovers, .impliedPeriodCovers, .renewalAwaited, .periodEnded: true
        default: false
        }
    }

    /// Whether Apple said after the end that there is no renewal.
    private var isEndConfirmed: Bool {
        if let renewal = period.renewal(at: t), renewal.source.time >= end, renewal.autoRenewStatus == .off {
            return true
        }
        guard let status = period.signedStatus(at: t), status.time >= end else { return false }
        return status.code == .expired || status.code == .revoked
    }

    private var retry: DuePoll? {
        switch state.decision {
        case .gracePeriod, .signedGracePeriod, .billingRetry: break
        default: return nil
        }
        let heard = max(asked.lastAsked ?? .earliest, period.renewalInfos.last?.source.time ?? .earliest, end)
        let day = Int((heard.milliseconds - end.milliseconds) / waits.day) + 1
        let last = end.advanced(byMilliseconds: waits.retrying)
        let moments = [
            end.advanced(byMilliseconds: Int64(day) * waits.day), last,
            state.gracePeriodExpiresAt?.advanced(byMilliseconds: waits.afterGraceEnd),
        ]
        guard let at = moments.compactMap(\.self).filter({ $0 > heard && $0 <= last }).min() else { return nil }
        return due(.retry, at, day, waits.day)
    }

    private var beforeEnd: DuePoll? {
        guard case .periodCovers = state.decision, end > t else { return nil }
        let first = end.advanced(byMilliseconds: -waits.beforePeriodEnd)
        guard !asked.isAnswered(since: first),
            period.renewalInfos.last.map({ $0.source.time < first }) ?? true
        else { return nil }
        let (attempt, at, interval) = waits.question(from: first, after: asked.lastAsked)
        return at < end ? due(.beforeEnd, at, attempt, interval) : nil
    }

    // MARK: - Cancellations

    /// The newest statement of the cancellation in force, unless a JWS states it. Only answers tell its reversal then.
    private var unsignedRevocation: Source? {
        guard state.decision == .revoked, let source = period.revocation(at: t)?.source, source.rank != .jws else {
            return nil
        }
        return source
    }

    /// An answer no longer states the cancellation. It is lifted by a second one an hour later.
    private var secondAnswer: DuePoll? {
        guard let stated = unsignedRevocation,
            let silent = period.sources.first(where: { $0.rank == .verifyReceiptLatest && $0.time > stated.time })
        else { return nil }
        let first = silent.recordedAt.advanced(byMilliseconds: Instant.millisecondsPerHour)
        guard !asked.isAnswered(since: first) else { return nil }
        let (attempt, at, _) = waits.question(from: first, after: unanswered(since: first))
        return DuePoll(key: subscription.key, reason: .disagreement, question: .statuses, dueAt: at, attempt: attempt)
    }

    /// Apple may reverse a refund for months, and announces it in no notification of version 1.
    private var reversal: DuePoll? {
        guard let stated = unsignedRevocation,
            let start = period.revocation(at: t)?.start,
            t < start.advanced(byMilliseconds: PollPolicy.reversalDays * Instant.millisecondsPerDay)
        else { return nil }
        let heard = max(stated.recordedAt, asked.lastAsked ?? .earliest)
        let wait = heard < end ? waits.day : PollPolicy.sweepDays * Instant.millisecondsPerDay
        return due(.sweep, heard.advanced(byMilliseconds: wait), 1, wait)
    }

    // MARK: - Silence

    private var sweep: DuePoll? {
        guard state.entitled, let recordedAt = lastRecordedAt else { return nil }
        let heard = max(recordedAt, asked.answeredAt ?? .earliest)
        let first = heard.advanced(byMilliseconds: PollPolicy.sweepDays * Instant.millisecondsPerDay)
        let (attempt, at, interval) = waits.question(from: first, after: asked.lastAsked)
        return due(.sweep, at, attempt, interval)
    }

    private func due(_ reason: PollReason, _ at: Instant, _ attempt: Int, _ interval: Int64) -> DuePoll {
        DuePoll(key: subscription.key, reason: reason, question: .statuses, dueAt: at, attempt: attempt)
            .jittered(interval: interval)
    }
}

extension [Period] {
    /// Returns the last of the renewals of a purchase that are charged by `t`.
    fileprivate func lastCharged(from period: Period, by t: Instant) -> Period {
        var last = period
        while let next = renewal(of: last, chargedBy: t) { last = next }
        return last
    }
}

extension Period {
    /// Whether Apple said that the renewal of the period failed.
    fileprivate var statesFailure: Bool {
        renewalInfos.contains { $0.value.isInBillingRetryPeriod == true || $0.value.expirationIntent == .billingError }
            || signedStatuses.contains { $0.code == .billingRetry || $0.code == .gracePeriod }
    }
}
