import AppStoreModel
import LedgerModel
import Primitives
import TestSupport

/// A few keys, a dozen random observations each, and rules to ask under.
struct World {
    var observations: [(SubscriptionKey, Observation)]
    var rules: Rules
    /// Milliseconds of one step of its dates.
    let unit: Int64

    var timelines: [SubscriptionKey: Timeline] {
        Dictionary(grouping: observations, by: \.0).mapValues { Timeline($0.map(\.1)) }
    }

    /// Where all of its dates lie.
    var busyRange: ClosedRange<Int64> { -10 * unit...60 * unit }
    /// From before anything to long after everything.
    var range: ClosedRange<Int64> { -10 * unit...60 * unit + 70 * Instant.millisecondsPerDay }
    var end: Instant { Instant(milliseconds: range.upperBound) }
}

extension SeededRandom {
    mutating func world() -> World {
        let unit = pick([60_000, 3_600_000, 24 * 3_600_000] as [Int64])
        let environment = pick([Environment.production, .production, .sandbox])
        let ids = Array(["1", "2", "3"].prefix(Int.random(in: 1...3, using: &self)))
        var observations: [(SubscriptionKey, Observation)] = []
        for id in ids {
            for observation in self.observations(of: id, unit: unit) {
                observations.append((key(id, environment), observation))
            }
        }
        var rules = Rules()
        rules.access.ownGraceDays = pick([0, 0, 3])
        rules.access.limitedAccessDays = pick([0, 0, 2])
        rules.access.renewalLeewayMinutes = pick([60, 60, 0, 240])
        rules.access.proratedRefund = pick([.revoke, .keepToExpiry])
        return World(observations: observations, rules: rules, unit: unit)
    }

    private mutating func observations(of id: String, unit: Int64) -> [Observation] {
        var observations: [Observation] = []
        for _ in 0..<Int.random(in: 0...5, using: &self) { observations.append(transaction(of: id, unit: unit)) }
        let hasRenewalInfo = chance(80)
        for _ in 0..<Int.random(in: 0...4, using: &self) where hasRenewalInfo {
            observations.append(renewalInfo(unit: unit))
        }
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            observations.append(notification(carrying: observations, unit: unit))
        }
        return observations
    }

    private mutating func instant(_ range: ClosedRange<Int64>, _ unit: Int64) -> Instant {
        Instant(milliseconds: .random(in: range, using: &self) * unit)
    }

    private mutating func transaction(of id: String, unit: Int64) -> Observation {
        let number = Int64.random(in: 0...3, using: &self)
        var fact = TransactionFact(transactionId: pick([id, "\(id)\(number)"]))
        fact.webOrderLineItemId = pick([nil, "item-\(number)"])
        fact.productId = pick(["pro", "pro", "basic", nil])
        fact.subscriptionGroupIdentifier = pick(["G", nil])
        fact.appTransactionId = pick(["A", nil, nil])
        fact.previousOriginalTransactionId = pick(["1", nil, nil, nil, nil])
        fact.type = pick([.autoRenewable, .autoRenewable, .autoRenewable, .nonConsumable, nil])
        fact.inAppOwnershipType = pick([.purchased, .familyShared, nil])
        fact.transactionReason = pick([.purchase, .renewal])
        fact.purchaseDate = Instant(milliseconds: number * 10 * unit)
        fact.expiresDate = Instant(milliseconds: (number * 10 + pick([5, 10, 10, 20])) * unit)
        fact.isUpgraded = chance(15)
        if chance(25) {
            var revocation = TransactionFact.Revocation(revocationDate: instant(0...30, unit))
            revocation.revocationReason = pick([nil, .other, .appIssue, .init(rawValue: 2)])
            revocation.revocationType = pick([nil, .refundFull, .refundProrated, .familyRevoke])
            fact.revocation = revocation
        }
        return observation(
            .transaction(fact), signed: instant(-2...40, unit), position: .random(in: 0..<20, using: &self))
    }

    private mutating func renewalInfo(unit: Int64) -> Observation {
        var fact = RenewalFact()
        fact.productId = pick(["pro", "basic"])
        fact.autoRenewProductId = pick(["pro", "basic"])
        fact.autoRenewStatus = pick([.on, .on, .off, nil])
        if chance(50) {
            fact.expirationIntent = pick([nil, .cancelled, .billingError])
            fact.isInBillingRetryPeriod = pick([nil, false, true])
            fact.gracePeriodExpiresDate = chance(40) ? instant(5...45, unit) : nil
        }
        fact.renewalDate = chance(80) ? instant(0...45, unit) : nil
        fact.recentSubscriptionStartDate = chance(40) ? instant(0...30, unit) : nil
        return observation(.renewal(fact), signed: instant(0...40, unit), position: .random(in: 0..<20, using: &self))
    }

    private mutating func notification(carrying carried: [Observation], unit: Int64) -> Observation {
        var fact = NotificationFact()
        fact.notificationType = pick([.refundReversed, .refundReversed, .didRenew, .expired, nil])
        fact.subtype = pick([nil, .voluntary])
        fact.status = pick([nil, .active, .expired, .billingRetry, .gracePeriod, .revoked])
        let transactions = carried.filter {
            if case .transaction = $0.fact { true } else { false }
        }
        fact.signedTransactionInfo = transactions.isEmpty ? nil : pick(transactions).source.name.digest
        return observation(
            .notification(fact), signed: instant(0...45, unit), position: .random(in: 0..<20, using: &self))
    }
}

extension Observation {
    func moved(to position: Position) -> Observation {
        let source = Source(
            name: source.name, time: source.time, rank: source.rank, position: position,
            recordedAt: Instant(milliseconds: Int64(position)))
        return Observation(source: source, fact: fact)
    }

    /// The same with every date drawn anew.
    func with(dates: [Instant], using generator: inout SeededRandom) -> Observation {
        let time = generator.pick(dates)
        switch fact {
        case .transaction(var fact):
            fact.purchaseDate = generator.pick(dates)
            fact.expiresDate = generator.pick(dates)
            fact.revocation?.revocationDate = generator.pick(dates)
            return observation(.transaction(fact), signed: time)
        case .renewal(var fact):
            fact.gracePeriodExpiresDate = generator.pick(dates)
            fact.renewalDate = generator.pick(dates)
            fact.recentSubscriptionStartDate = generator.pick(dates)
            return observation(.renewal(fact), signed: time)
        case .notification, .app:
            return observation(fact, signed: time)
        }
    }
}
