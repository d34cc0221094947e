import AppStoreModel
import Primitives

/// Collects the periods of one key: known periods, with the ends that renewal infos extend, and implied periods.
struct PeriodCollector {
    /// In the order of purchase after `apply`.
    private(set) var periods: [Period]
    /// Buckets of 1,024 ms -> indices of the periods with an end in the bucket. Dates that join are in the same bucket
    /// or in neighbouring ones.
    private var byEnd: [Int64: [Int]] = [:]
    private let evidenceTimes: EvidenceTimes

    init(_ known: [Period], evidenceTimes: EvidenceTimes) {
        self.evidenceTimes = evidenceTimes
        periods = known.sorted { $0.isOlder(than: $1) }
        for index in periods.indices { indexEnds(of: index) }
    }

    /// - Parameters:
    ///   - renewalInfos: in ascending order of precedence.
    ///   - notifications: in the total order.
    mutating func apply(_ renewalInfos: [Observed<RenewalFact>], notifications: [Observed<NotificationFact>]) {
        let ending = notifications.compactMap { notification -> SignedStatus? in
            guard let code = notification.value.status, code.deniesRenewal else { return nil }
            return SignedStatus(code: code, time: evidenceTimes.time(of: notification), source: notification.source)
        }
        let extensions = Set(
            notifications.filter { $0.value.notificationType == .renewalExtended }.compactMap(\.value.signedRenewalInfo)
        )
        for renewalInfo in renewalInfos {
            guard let renewalDate = renewalInfo.value.renewalDate else { continue }
            let isExtension = extensions.contains(renewalInfo.source.name.digest)
            switch reading(of: renewalInfo, renewalDate, isExtension: isExtension, ending: ending) {
            case .end(let index): addEnd(renewalDate, of: index, statedBy: renewalInfo.source)
            case .purchase(let implied):
                periods.append(implied)
                indexEnds(of: periods.count - 1)
            case .nothingNew: continue
            }
        }
        periods.sort { $0.isOlder(than: $1) }
        periods += periods.compactMap { Period(impliedByEarlyRenewal: $0, beside: periods) }
        periods.sort { $0.isOlder(than: $1) }
        byEnd = [:]
        for index in periods.indices { indexEnds(of: index) }
    }

    /// Assigns to each period the renewal infos that describe it and the statuses signed about it.
    mutating func assign(_ renewalInfos: [Observed<RenewalFact>], notifications: [Observed<NotificationFact>]) {
        var byRenewalInfo: [Digest: Int] = [:]
        for renewalInfo in renewalInfos {
            guard let index = indexOfPeriod(spokenOfBy: renewalInfo) else { continue }
            byRenewalInfo[renewalInfo.source.name.digest] = index
            periods[index].renewalInfos.append(renewalInfo)
        }
        for index in periods.indices where !periods[index].isKnown {
            // A renewal signed with the refund of the preceding purchase, or later, overrides that refund.
            let words = periods[index].renewalInfos.filter { !$0.value.statesFailure }.map(\.source)
            periods[index].revocations = periods[index].revocations.compactMap { $0.lifted(bySourcesAmong: words) }
        }
        assignStatuses(of: notifications, byRenewalInfo)
    }

    private mutating func assignStatuses(
        of notifications: [Observed<NotificationFact>], _ byRenewalInfo: [Digest: Int]
    ) {
        // An undocumented status is ignored: it neither grants access nor lifts a revocation.
        let signed = notifications.filter { $0.value.status?.isDocumented == true }
        guard !signed.isEmpty else { return }
        var byTransaction: [Digest: Int] = [:]
        for index in periods.indices where periods[index].isKnown {
            for source in periods[index].sources { byTransaction[source.name.digest] = index }
        }
        for notification in signed {
            guard let code = notification.value.status else { continue }
            let renewalInfo = notification.value.signedRenewalInfo.flatMap { byRenewalInfo[$0] }
            let transaction = notification.value.signedTransactionInfo.flatMap { byTransaction[$0] }
            // A status 5 applies to the purchase whose transaction accompanies it, if there is one.
            guard let index = code == .revoked ? transaction ?? renewalInfo : renewalInfo ?? transaction,
                !periods[index].signedStatuses.contains(where: { $0.source == notification.source })
            else { continue }
            periods[index].signedStatuses.append(
                SignedStatus(code: code, time: evidenceTimes.time(of: notification), source: notification.source))
        }
        for index in periods.indices where !periods[index].signedStatuses.isEmpty {
            periods[index].signedStatuses.sort {
                $0.time == $1.time ? $0.source.precedes($1.source) : $0.time < $1.time
            }
            let stated = Revocation.all(in: periods[index].signedStatuses, beside: periods[index].revocations)
            guard !stated.isEmpty else { continue }
            periods[index].revocations = (periods[index].revocations + stated).sorted { $0.source.precedes($1.source) }
        }
    }
}

extension PeriodCollector {
    /// The effect of a renewal info on the periods gathered so far.
    private enum Reading {
        /// The renewalDate is another end of this period.
        case end(of: Int)
        case purchase(Period)
        case nothingNew
    }

    private func reading(
        of renewalInfo: Observed<RenewalFact>, _ renewalDate: Instant, isExtension: Bool, ending: [SignedStatus]
    ) -> Reading {
        let joining = joining(renewalDate)
        if let index = joining.filter({ restatesEnd(of: $0, renewalInfo, renewalDate) }).max() {
            return .end(of: index)
        }
        guard joining.isEmpty else { return .nothingNew }
        if let index = indexOfExtended(by: renewalInfo, to: renewalDate, isExtension: isExtension)
            ?? indexOfExtendedLater(than: renewalInfo, renewalDate)
        {
            return .end(of: index)
        }
        return Period(impliedBy: renewalInfo, beside: periods, ending: ending).map(Reading.purchase) ?? .nothingNew
    }
}

extension PeriodCollector {
    private mutating func indexEnds(of index: Int) {
        for step in periods[index].expiresDate.steps {
            let stretch = Self.stretch(of: step.value)
            if byEnd[stretch]?.contains(index) != true { byEnd[stretch, default: []].append(index) }
        }
    }

    private static func stretch(of instant: Instant) -> Int64 {
        instant.milliseconds >> 10
    }

    /// Returns the indices of the periods with an end at this date.
    private func joining(_ renewalDate: Instant) -> [Int] {
        let stretch = Self.stretch(of: renewalDate)
        var found: [Int] = []
        for neighbour in [stretch &- 1, stretch, stretch &+ 1] {
            for index in byEnd[neighbour] ?? []
            where periods[index].ends(joining: renewalDate) && !found.contains(index) {
                found.append(index)
            }
        }
        return found
    }

    /// Returns the index of the period that a renewal info describes: the latest purchase, begun or charged by the
    /// signing, with an end at renewalDate; else the only period with such an end. Older renewal infos have no
    /// renewalDate and describe the latest purchase begun or charged.
    private func indexOfPeriod(spokenOfBy renewalInfo: Observed<RenewalFact>) -> Int? {
        let signed = renewalInfo.source.time
        func isBegunOrCharged(_ index: Int) -> Bool {
            periods[index].start <= signed || periods[index].firstStatedAt <= signed
        }
        guard let renewalDate = renewalInfo.value.renewalDate else {
            return periods.indices.last { isBegunOrCharged($0) && !periods[$0].expiresDate.steps.isEmpty }
        }
        let joining = joining(renewalDate)
        return joining.filter(isBegunOrCharged).max() ?? (joining.count == 1 ? joining[0] : nil)
    }

    private mutating func addEnd(_ end: Instant, of index: Int, statedBy source: Source) {
        periods[index].expiresDate = periods[index].expiresDate.adding(Observed(source: source, value: end))
        indexEnds(of: index)
    }

    /// Whether a renewal info states an end of a period that the period's own transaction states only later.
    private func restatesEnd(
        of index: Int, _ renewalInfo: Observed<RenewalFact>, _ renewalDate: Instant
    ) -> Bool {
        let (period, signed) = (periods[index], renewalInfo.source.time)
        guard period.isKnown, period.start <= signed, period.productId == renewalInfo.value.productId,
            let end = period.end(at: signed)
        else { return false }
        return signed < end && end < renewalDate && !end.isSame(as: renewalDate)
    }

    /// Returns the index of the period of the same product that runs at the signing, ends later, and is first stated by
    /// its transaction after the signing. The renewal info states the end before an extension, since Apple shortens no
    /// period.
    private func indexOfExtendedLater(than renewalInfo: Observed<RenewalFact>, _ renewalDate: Instant) -> Int? {
        let signed = renewalInfo.source.time
        return periods.indices.last { index in
            let period = periods[index]
            guard period.isKnown, period.type == .autoRenewable, period.productId == renewalInfo.value.productId,
                let end = period.latestEnd, let stated = period.sources.first?.time
            else { return false }
            return signed < stated && period.start <= signed && signed < renewalDate && renewalDate < end
        }
    }

    private func isRenewalCharged(of period: Period, endingAt end: Instant, by signed: Instant) -> Bool {
        periods.contains { $0.start.isSame(as: end) && $0.firstStatedAt <= signed && period.isOlder(than: $0) }
    }

    /// Returns the index of the period that a renewal info extends: the latest of its product that had begun or was
    /// charged by the signing and had not ended. The info is signed more than 24 hours before that end, or with a
    /// RENEWAL_EXTENDED. In the last 24 hours Apple charges renewals, and a later renewalDate belongs to the next
    /// purchase.
    private func indexOfExtended(
        by renewalInfo: Observed<RenewalFact>, to renewalDate: Instant, isExtension: Bool
    ) -> Int? {
        let signed = renewalInfo.source.time
        return periods.indices.last { index in
            let period = periods[index]
            guard period.isKnown, period.productId == renewalInfo.value.productId,
                period.start <= signed || period.firstStatedAt <= signed,
                let end = period.end(at: signed), signed < end, end < renewalDate
            else { return false }
            // The renewalDate is that of the most recent purchase, so no earlier purchase is extended.
            guard !isRenewalCharged(of: period, endingAt: end, by: signed) else { return false }
            return isExtension || signed < end.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds)
        }
    }
}

extension Observed where Value == RenewalFact {
    /// Whether the other renewal info takes precedence: the later signing, then the later renewalDate, then a failure,
    /// then the total order.
    func isOutweighed(by other: Observed<RenewalFact>) -> Bool {
        if source.time != other.source.time { return source.time < other.source.time }
        let (date, otherDate) = (value.renewalDate ?? .earliest, other.value.renewalDate ?? .earliest)
        if date != otherDate { return date < otherDate }
        if value.statesFailure != other.value.statesFailure { return other.value.statesFailure }
        return source.precedes(other.source)
    }
}

extension RenewalFact {
    /// Whether it states that the renewal failed or will not happen.
    package var statesFailure: Bool { isInBillingRetryPeriod == true || expirationIntent != nil }
}
