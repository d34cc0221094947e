package import LedgerModel
package import PaidService
package import Primitives
import SubscriptionStatus

/// A failed renewal and its outcome as of an instant.
package struct RetryEpisode: Sendable {
    package enum Outcome: Hashable, Sendable {
        case recovered(at: Instant)
        /// The subscriber bought again before Apple's retry succeeded.
        case boughtAgain(at: Instant)
        case lost(at: Instant)
        case open
    }

    package let purchase: SubscriptionPurchase
    package let failedAt: Instant
    package let outcome: Outcome
    private let asOf: Instant
}

extension PurchaseUnit {
    /// Every failed renewal, oldest first.
    package func retryEpisodes(_ rules: Rules.Churn) -> [RetryEpisode] {
        purchases.compactMap { purchase in
            purchase.failure.map { RetryEpisode(purchase, $0, of: self, rules) }
        }
    }

    /// Whether Apple still retries the renewal of a purchase: its key is in grace or in billing retry with it.
    fileprivate func isInRetry(_ purchase: SubscriptionPurchase) -> Bool {
        states.contains { state in
            state.key == purchase.key && state.transactionId == purchase.transactionId
                && (state.status == .gracePeriod || state.status == .billingRetry)
        }
    }
}

extension RetryEpisode {
    fileprivate init(
        _ purchase: SubscriptionPurchase, _ failure: FailedRenewal, of unit: PurchaseUnit, _ rules: Rules.Churn
    ) {
        let t = unit.asOf
        (self.purchase, failedAt, asOf) = (purchase, failure.failedAt, t)
        let gone = purchase.gone(rules)
        // A key that migrated goes on as another.
        let again = [failure.next?.start, purchase.supersededAt].compactMap { $0 }.filter { $0 >= failure.failedAt }
            .min()
        if let next = failure.next, next.isRecovery, next.recoveredAt <= t {
            outcome = .recovered(at: next.recoveredAt)
        } else if let again, again <= gone, failure.next?.isRecovery != true {
            outcome = .boughtAgain(at: again)
        } else if gone <= t, !unit.isInRetry(purchase), failure.next?.isRecovery != true {
            outcome = .lost(at: gone)
        } else {
            outcome = .open
        }
    }

    /// The day of retry, from 1, on which it ended or, while it is open, that of the instant in question.
    package var day: Int {
        let end = endedAt ?? asOf
        return Int(max(0, end.milliseconds - failedAt.milliseconds) / Instant.millisecondsPerDay) + 1
    }

    /// Nil while it is open.
    package var endedAt: Instant? {
        switch outcome {
        case .recovered(let at), .boughtAgain(let at), .lost(let at): at
        case .open: nil
        }
    }
}

/// The failed renewals by the day of retry on which they ended.
package struct RecoveryCurve: Sendable {
    package struct Day: Hashable, Sendable {
        /// Those that were in retry on the day.
        package fileprivate(set) var entered = 0
        package fileprivate(set) var recovered = 0
        package fileprivate(set) var boughtAgain = 0
        package fileprivate(set) var lost = 0
        package fileprivate(set) var open = 0

        fileprivate var ended: Int { recovered + boughtAgain + lost + open }
    }

    private var ends: [Day] = []

    package init() {}

    package mutating func add(_ episode: RetryEpisode) {
        while ends.count < episode.day { ends.append(Day()) }
        switch episode.outcome {
        case .recovered: ends[episode.day - 1].recovered += 1
        case .boughtAgain: ends[episode.day - 1].boughtAgain += 1
        case .lost: ends[episode.day - 1].lost += 1
        case .open: ends[episode.day - 1].open += 1
        }
    }

    package mutating func merge(_ other: RecoveryCurve) {
        while ends.count < other.ends.count { ends.append(Day()) }
        for (index, day) in other.ends.enumerated() {
            ends[index].recovered += day.recovered
            ends[index].boughtAgain += day.boughtAgain
            ends[index].lost += day.lost
            ends[index].open += day.open
        }
    }

    /// The days from 1. `entered` counts the episodes that had not ended on an earlier day.
    package var days: [Day] {
        var left = ends.reduce(0) { $0 + $1.ended }
        return ends.map { day in
            var day = day
            day.entered = left
            left -= day.ended
            return day
        }
    }
}
