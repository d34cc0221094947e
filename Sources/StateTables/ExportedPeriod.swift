import AppStoreModel
import Churn
import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import Revenue

/// A period of any product as a row of `periods`: as of an instant, with what retention and revenue make of it.
struct ExportedPeriod {
    let period: Period
    let key: SubscriptionKey
    /// The key that names the unit, and the subscription group.
    let unitKey: SubscriptionKey
    let group: Symbol?
    /// The place among the known periods of the key's product type, from 1 on.
    let number: Int
    /// Nil for a period that no projection of money counts: shared, implied, or of another product type.
    let purchase: CountedPurchase?
    let product: CatalogProduct?
    /// The period of the key that begins where this one is replaced; nil if none does.
    let successor: Period?
    let asOf: Instant
}

/// A purchase with what its unit makes of it.
struct CountedPurchase {
    let purchase: SubscriptionPurchase
    let group: Symbol?
    /// Whether it makes its unit a member of a cohort.
    let isAnchor: Bool
    let convertsTrial: Bool
    let bridgedUntil: Instant?
    let proceedsRate: Int?
    let charges: [Charge]
    /// Nil without a reporting currency.
    let reportedCharges: [Charge]?
}

extension ExportUnit {
    /// The periods of all keys that began by the instant.
    func periods() -> [ExportedPeriod] {
        let counted = countedPurchases()
        return lineages.flatMap { lineage in
            lineage.subscriptions.flatMap { subscription in
                periods(of: subscription, in: lineage, counted)
            }
        }
    }

    private func periods(
        of subscription: Subscription, in lineage: Lineage, _ counted: [PeriodKey: CountedPurchase]
    ) -> [ExportedPeriod] {
        var numbers: [ProductType?: Int] = [:]
        let (key, catalog) = (subscription.key, context.catalogs[subscription.key.bundle])
        return subscription.periods.filter { $0.start <= asOf }.map { period in
            if period.isKnown { numbers[period.type, default: 0] += 1 }
            let purchase = counted[PeriodKey(period, of: key)]
            let replacedAt = purchase?.purchase.replacedAt
            return ExportedPeriod(
                period: period, key: key, unitKey: lineage.subscriptions[0].key,
                group: purchase?.group ?? period.subscriptionGroupIdentifier,
                number: max(1, numbers[period.type] ?? 0), purchase: purchase,
                product: period.productId.flatMap { catalog?.product($0, at: period.start) },
                successor: replacedAt.flatMap { at in subscription.periods.first { $0.start == at && $0 != period } },
                asOf: asOf)
        }
    }

    private func countedPurchases() -> [PeriodKey: CountedPurchase] {
        let definition = context.rules.retention.definition
        let retention = question.retention.first { $0.rules.definition == definition }
        var counted: [PeriodKey: CountedPurchase] = [:]
        for unit in purchaseUnits {
            let (rates, paid) = (ProceedsRates(unit, context.rules.revenue), unit.purchases.filter(\.isPaid))
            let anchor = retention.flatMap { CohortMember(unit, $0) }?.anchor
            for purchase in unit.purchases {
                counted[PeriodKey(purchase.period, of: purchase.key)] = CountedPurchase(
                    purchase: purchase, group: unit.group,
                    isAnchor: anchor.map { $0.key == purchase.key && $0.period == purchase.period } ?? false,
                    convertsTrial: unit.offerRuns.contains { $0.isFree && $0.isConverted(by: purchase) },
                    bridgedUntil: purchase.bridgedGap(context.rules.retention.bridge, in: paid)?.upperBound,
                    proceedsRate: rates.rate(ofSaleAt: purchase.start), charges: purchase.charges(in: nil),
                    reportedCharges: question.reporting.map { purchase.charges(in: $0) })
            }
        }
        return counted
    }
}

/// A period among those of all keys.
private struct PeriodKey: Hashable {
    let key: SubscriptionKey
    let productId: Symbol?
    let name: String

    init(_ period: Period, of key: SubscriptionKey) {
        (self.key, productId, name) = (key, period.productId, period.id(in: key))
    }
}

extension OfferRun {
    fileprivate func isConverted(by purchase: SubscriptionPurchase) -> Bool {
        guard case .converted(let instant) = outcome else { return false }
        return purchase.start == instant && purchase.isPaid
    }
}

// MARK: Times

extension ExportedPeriod {
    /// The end that Apple states, or that the catalogue gives a non-renewing subscription.
    var end: Instant? {
        period.end(at: asOf)
            ?? (period.type == .nonRenewing ? product?.duration.map { period.start.advanced(by: $0) } : nil)
    }

    var duration: CalendarPeriod? {
        purchase?.purchase.duration ?? (period.type == .nonRenewing ? product?.duration : nil)
    }

    /// The newest revocation begun, also one that was reversed.
    var revocation: Revocation? { period.revocations.last { $0.start <= asOf } }

    var reversedAt: Instant? { revocation?.end.flatMap { $0 <= asOf ? $0 : nil } }

    var replacedAt: Instant? {
        purchase?.purchase.replacedAt ?? period.replacement.flatMap { $0.start <= asOf ? $0.start : nil }
    }

    /// The end of the time that the period served: its start if it served none, nil if it does not end.
    var serviceUntil: Instant? {
        if let counted = purchase { return counted.purchase.service?.upperBound ?? period.start }
        let inForce = revocation.flatMap { reversedAt == nil ? $0 : nil }
        if inForce?.isFullRefund == true { return period.start }
        return [end, replacedAt, inForce?.start].compactMap(\.self).min().map { max($0, period.start) }
    }

    private var renewalInfos: [Observed<RenewalFact>] { period.renewalInfos.filter { $0.source.time <= asOf } }

    /// The time at which the ledger learned that auto-renew is off.
    var renewOffRecordedAt: Instant? {
        renewalInfos.filter { $0.value.autoRenewStatus == .off }.map(\.source.recordedAt).min()
    }

    /// The time at which the ledger learned that the renewal failed.
    var failureRecordedAt: Instant? {
        guard purchase?.purchase.failure != nil else { return nil }
        let infos = renewalInfos.filter {
            $0.value.isInBillingRetryPeriod == true || $0.value.gracePeriodExpiresDate != nil
        }
        return infos.map(\.source.recordedAt).min()
    }

    var lastRecordedAt: Instant? {
        let statements = period.sources.filter { $0.time <= asOf } + renewalInfos.map(\.source)
        // In hindsight, a period is known before its first statement was signed.
        return statements.map(\.recordedAt).max() ?? period.firstSource?.recordedAt
    }

    /// The positions of the first statement, of the end, of the revocation, of what replaced the period, and of the newest
    /// renewal info.
    var evidence: [Position] {
        let sources = [
            period.firstSource, period.statementOfEnd(at: asOf)?.statement.source, revocation?.source,
            replacedAt.flatMap { _ in period.replacement?.sources.first ?? successor?.firstSource },
            renewalInfos.last?.source,
        ]
        return Set(sources.compactMap { $0?.position }).sorted()
    }
}

// MARK: Money

extension ExportedPeriod {
    var payment: Payment {
        if let counted = purchase { return counted.purchase.payment }
        return period.price.map { $0.price == 0 ? .free : .paid } ?? .unknown
    }

    var gross: Int64? { purchase.map { Self.gross($0.charges) } ?? period.price?.price }

    /// Nil when a part is not known, such as that of a refund in part.
    var net: Int64? {
        if let counted = purchase { return Self.net(counted.charges) }
        guard let revocation, reversedAt == nil else { return period.price?.price }
        return revocation.isFullRefund ? 0 : nil
    }

    var reportedGross: Int64? { purchase?.reportedCharges.flatMap(Self.gross) }
    var reportedNet: Int64? { purchase?.reportedCharges.flatMap(Self.net) }

    private static func gross(_ charges: [Charge]) -> Int64? { charges.first { $0.kind == .sale }?.amount }

    private static func net(_ charges: [Charge]) -> Int64? {
        charges.reduce(0) { sum, charge in sum.flatMap { sum in charge.amount.map { sum &+ $0 } } }
    }
}
