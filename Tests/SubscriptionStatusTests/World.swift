import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives

/// A few keys with random observations, and rules. The observations need not be consistent.
struct World {
    var observations: [(SubscriptionKey, Observation)]
    var rules: Rules
    /// The step of its dates in milliseconds.
    let unit: Int64

    var timelines: [SubscriptionKey: Timeline] {
        Dictionary(grouping: observations, by: \.0).mapValues { Timeline($0.map(\.1)) }
    }

    var lineages: [Lineage] { Lineage.components(of: timelines) }

    /// The range of most of its dates.
    var busyRange: ClosedRange<Int64> { -10 * unit...60 * unit }
    /// The busy range and 70 more days, longer than a billing retry.
    var range: ClosedRange<Int64> { -10 * unit...60 * unit + 70 * Instant.millisecondsPerDay }
    var end: Instant { Instant(milliseconds: range.upperBound) }

    func replacing(_ change: (Observation) -> Observation) -> World {
        var world = self
        world.observations = observations.map { ($0, change($1)) }
        return world
    }

    /// The world without the observations signed after `t`.
    func signed(by t: Instant) -> World {
        var world = self
        world.observations = observations.filter { $1.source.time <= t }
        return world
    }

    /// One line per observation, in the order of signing.
    var text: String {
        let lines = observations.sorted { $0.1.source.precedes($1.1.source) }.map { key, observation in
            let id = key.originalTransactionId
            return "\(key.environment) \(id) signed \(observation.source.time.milliseconds): \(observation.fact)"
        }
        return (["unit \(unit), \(rules.access)"] + lines).joined(separator: "\n")
    }
}

extension SeededRandom {
    mutating func world(of keys: ClosedRange<Int> = 1...3) -> World {
        let unit = pick([60_000, 3_600_000, 24 * 3_600_000] as [Int64])
        let environment = pick([Environment.production, .production, .sandbox])
        let ids = Array(["1", "2", "3"].prefix(Int.random(in: keys, using: &self)))
        var observations: [(SubscriptionKey, Observation)] = []
        for id in ids {
            let drawn = chance(50) ? contradictions(of: id, unit: unit) : story(of: id, unit: unit)
            for observation in drawn { observations.append((key(id, environment), observation)) }
        }
        var rules = Rules()
        rules.access.ownGraceDays = pick([0, 0, 3])
        rules.access.limitedAccessDays = pick([0, 0, 2])
        rules.access.renewalLeewayMinutes = pick([60, 60, 0, 240])
        rules.access.proratedRefund = pick([.revoke, .keepToExpiry])
        return World(observations: observations, rules: rules, unit: unit)
    }

    /// Facts drawn independently from few values, so that their dates and identities often agree.
    private mutating func contradictions(of id: String, unit: Int64) -> [Observation] {
        var observations: [Observation] = []
        let types: [ProductType?] = chance(15) ? [.nonConsumable] : [.autoRenewable, .autoRenewable, nil]
        for _ in 0..<Int.random(in: 0...5, using: &self) {
            observations.append(transaction(of: id, pick(types), unit: unit))
        }
        let hasRenewalInfo = chance(80)
        for _ in 0..<Int.random(in: 0...4, using: &self) where hasRenewalInfo {
            observations.append(renewalInfo(unit: unit))
        }
        for _ in 0..<Int.random(in: 0...3, using: &self) {
            observations.append(notification(carrying: observations, unit: unit))
        }
        return observations
    }

    /// A date near a multiple of the unit. Some dates join within a second, others are in the 24 hours before.
    private mutating func instant(_ range: ClosedRange<Int64>, _ unit: Int64) -> Instant {
        let offset: Int64 = pick([0, 0, 0, 0, 0, 0, 500, -1_000, 1_001, -3_600_000, -23 * 3_600_000])
        return Instant(milliseconds: .random(in: range, using: &self) * unit + (chance(30) ? offset : 0))
    }

    private mutating func transaction(of id: String, _ type: ProductType?, unit: Int64) -> Observation {
        let number = Int64.random(in: 0...3, using: &self)
        var fact = TransactionFact(transactionId: AppleID(pick([id, "\(id)\(number)"])))
        fact.webOrderLineItemId = pick([nil, AppleID("item-\(number)")])
        fact.productId = pick(["pro", "pro", "basic", nil])
        fact.subscriptionGroupIdentifier = pick(["G", nil])
        fact.appTransactionId = pick(["A", nil, nil])
        fact.previousOriginalTransactionId = pick(["1", nil, nil, nil, nil])
        fact.type = type
        fact.inAppOwnershipType = pick([.purchased, .familyShared, nil])
        fact.transactionReason = pick([.purchase, .renewal])
        let start = number * 10 * unit - (chance(15) ? pick([1_000, 2 * unit, 3_600_000]) : 0)
        fact.purchaseDate = Instant(milliseconds: start)
        fact.expiresDate = Instant(milliseconds: (number * 10 + pick([-5, 5, 10, 10, 10, 20])) * unit)
        fact.isUpgraded = chance(15)
        fact.offer = chance(20) ? offer(pick([.introductory, .winBack, OfferType(rawValue: 9)])) : nil
        fact.price = chance(50) ? .init(price: pick([0, 9_990]), currency: pick(["EUR", nil])) : nil
        if chance(25) { fact.revocation = revocation(instant(0...30, unit)) }
        return observation(
            .transaction(fact), signed: instant(-2...40, unit), position: .random(in: 0..<20, using: &self))
    }

    private mutating func revocation(_ date: Instant) -> TransactionFact.Revocation {
        var revocation = TransactionFact.Revocation(revocationDate: date)
        revocation.revocationReason = pick([nil, .other, .appIssue, .init(rawValue: 2)])
        revocation.revocationType = pick([nil, .refundFull, .refundProrated, .familyRevoke, .init(rawValue: "SEAT")])
        return revocation
    }

    private mutating func renewalInfo(unit: Int64) -> Observation {
        var fact = RenewalFact()
        fact.renewalDate = chance(80) ? instant(0...45, unit) : nil
        fill(&fact, unit: unit)
        return observation(.renewal(fact), signed: instant(0...40, unit), position: .random(in: 0..<20, using: &self))
    }

    private mutating func fill(_ fact: inout RenewalFact, unit: Int64) {
        fact.productId = pick(["pro", "basic"])
        fact.autoRenewProductId = pick(["pro", "basic"])
        fact.autoRenewStatus = pick([.on, .on, .off, nil, .init(rawValue: 7)])
        if chance(40) {
            fact.expirationIntent = pick([nil, .cancelled, .billingError, .init(rawValue: 8)])
            fact.isInBillingRetryPeriod = pick([nil, false, true])
            fact.gracePeriodExpiresDate = chance(40) ? instant(5...45, unit) : nil
        }
        fact.priceIncreaseStatus = pick([nil, nil, nil, .pending, .accepted])
        fact.eligibleWinBackOfferIds = chance(20) ? OfferIdentifiers.interned(["win"]) : nil
        fact.recentSubscriptionStartDate = chance(40) ? instant(0...30, unit) : nil
        fact.commitment = chance(10) ? committed(pick([.on, .off])) : nil
    }

    private mutating func notification(carrying carried: [Observation], unit: Int64) -> Observation {
        var fact = NotificationFact()
        fact.notificationType = pick([
            .refundReversed, .refundReversed, .didRenew, .expired, .renewalExtended, nil, .init(rawValue: "NEWS"),
        ])
        fact.subtype = pick([nil, .voluntary])
        fact.status = pick([
            nil, .active, .expired, .billingRetry, .gracePeriod, .revoked, .init(rawValue: 6),
        ])
        fact.notificationUUID = pick([nil, "U", "V", "W"])
        let transactions = carried.filter(\.isTransaction)
        let renewalInfos = carried.filter(\.isRenewalInfo)
        fact.signedTransactionInfo = transactions.isEmpty ? nil : pick(transactions).source.name.digest
        fact.signedRenewalInfo = renewalInfos.isEmpty || chance(40) ? nil : pick(renewalInfos).source.name.digest
        return observation(
            .notification(fact), signed: instant(0...45, unit), position: .random(in: 0..<20, using: &self))
    }
}

extension SeededRandom {
    /// A run of successive purchases as Apple creates them: charged up to a day ahead, with plan changes before a
    /// renewal, gaps, refunds, restored copies, and renewal infos about each. A few facts are then left out.
    private mutating func story(of id: String, unit: Int64) -> [Observation] {
        var observations: [Observation] = []
        var start: Int64 = 0
        for number in 0..<Int.random(in: 1...4, using: &self) {
            let end = start + pick([5, 10, 10, 20]) * unit
            let ahead =
                number > 0 && chance(60) ? Swift.min(4 * unit, Int64.random(in: 0...86_400_000, using: &self)) : 0
            let purchase = purchase(of: id, number, start, end, signed: start - ahead)
            observations += copies(of: purchase, unit: unit)
            for _ in 0..<Int.random(in: 0...3, using: &self) {
                observations.append(renewalInfo(about: purchase, between: start - ahead, end + 2 * unit, unit: unit))
            }
            if chance(40) { observations.append(notification(carrying: observations, unit: unit)) }
            let isPlanChange = chance(15)
            start = isPlanChange ? end - Swift.min(2 * unit, 3_600_000) : end + pick([0, 0, 0, 0, 500, 3 * unit])
        }
        return observations.filter { _ in !chance(12) }
    }

    private mutating func purchase(
        of id: String, _ number: Int, _ start: Int64, _ end: Int64, signed: Int64
    ) -> Observation {
        var fact = TransactionFact(transactionId: AppleID(number == 0 ? id : "\(id)\(number)"))
        fact.webOrderLineItemId = AppleID("item-\(number)")
        fact.productId = pick(["pro", "pro", "pro", "basic"])
        fact.type = .autoRenewable
        fact.inAppOwnershipType = .purchased
        fact.subscriptionGroupIdentifier = "G"
        fact.appTransactionId = pick(["A", nil])
        fact.transactionReason = number > 0 && chance(70) ? .renewal : .purchase
        fact.purchaseDate = Instant(milliseconds: start)
        fact.expiresDate = Instant(milliseconds: end)
        return observation(
            .transaction(fact), signed: Instant(milliseconds: signed), position: .random(in: 0..<20, using: &self))
    }

    /// The transaction, sometimes with refunded, reversed, upgraded, extended or restored copies.
    private mutating func copies(of purchase: Observation, unit: Int64) -> [Observation] {
        guard case .transaction(let fact) = purchase.fact, let end = fact.expiresDate, chance(35) else {
            return [purchase]
        }
        var copies = [purchase]
        for _ in 0..<Int.random(in: 1...2, using: &self) {
            var copy = fact
            switch Int.random(in: 0..<5, using: &self) {
            case 0: copy.revocation = revocation(instant(0...40, unit))
            case 1: copy.isUpgraded = true
            case 2: copy.expiresDate = end.advanced(byMilliseconds: pick([unit, 2 * unit, -unit]))
            case 3: copy.transactionId = AppleID("\(copy.transactionId)r")
            default: break
            }
            let signed = purchase.source.time.advanced(byMilliseconds: Int64.random(in: 0...10, using: &self) * unit)
            copies.append(observation(.transaction(copy), signed: signed, position: .random(in: 0..<20, using: &self)))
        }
        return copies
    }

    private mutating func renewalInfo(
        about purchase: Observation, between earliest: Int64, _ latest: Int64, unit: Int64
    ) -> Observation {
        var fact = RenewalFact()
        fill(&fact, unit: unit)
        if case .transaction(let transaction) = purchase.fact {
            fact.productId = transaction.productId
            fact.renewalDate = transaction.expiresDate?.advanced(byMilliseconds: pick([0, 0, 0, 0, 1_000, unit]))
        }
        let signed = Instant(milliseconds: .random(in: earliest...latest, using: &self) / 1_000 * 1_000)
        return observation(.renewal(fact), signed: signed, position: .random(in: 0..<20, using: &self))
    }
}

extension Observation {
    var isTransaction: Bool { if case .transaction = fact { true } else { false } }
    var isRenewalInfo: Bool { if case .renewal = fact { true } else { false } }

    func moved(to position: Position) -> Observation {
        let source = Source(
            name: source.name, time: source.time, rank: source.rank, position: position,
            recordedAt: Instant(milliseconds: Int64(position)))
        return Observation(source: source, fact: fact)
    }

    /// An observation from the same source with another fact.
    func stating(_ fact: Fact) -> Observation { Observation(source: source, fact: fact) }

    /// A copy with dates drawn from `dates`.
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
