import AppStoreModel
import Primitives

/// Collects the periods of one key: known periods, with the ends that renewal infos extend, and implied periods.
struct PeriodCollector {
    /// In the order of purchase after `apply`.
    private(set) var periods: [Period]
    /// Every stated end with the index of its period, ascending by instant.
    private var ends: [(instant: Instant, index: Int)] = []
    private let carried: CarriedStatements

    init(_ known: [Period], carried: CarriedStatements) {
        self.carried = carried
        periods = known
        sortPeriods()
    }

    private mutating func sortPeriods() {
        _ = sortByPurchase()
        ends.removeAll(keepingCapacity: true)
        ends.reserveCapacity(periods.count)
        for index in periods.indices { indexEnds(of: index) }
    }

    /// - Parameters:
    ///   - renewalInfos: in ascending order of precedence.
    ///   - notifications: in the total order.
    mutating func apply(_ renewalInfos: [Observed<RenewalFact>], notifications: [Observed<NotificationFact>]) {
        let ending = notifications.compactMap { notification -> SignedStatus? in
            guard let code = notification.value.status, code.deniesRenewal else { return nil }
            return SignedStatus(code: code, time: carried.time(of: notification), source: notification.source)
        }
        let extensions = Set(
            notifications.lazy.filter { $0.value.notificationType == .renewalExtended }
                .compactMap(\.value.signedRenewalInfo))
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
        let wasSorted = sortByPurchase()
        let implied = periods.compactMap { Period(impliedByEarlyRenewal: $0, beside: periods) }
        periods += implied
        if !wasSorted || !implied.isEmpty { sortPeriods() }
    }

    /// - Returns: whether the periods were in order already, so that their indices are unchanged.
    private mutating func sortByPurchase() -> Bool {
        let isSorted = periods.indices.dropFirst().allSatisfy { !periods[$0].isOlder(than: periods[$0 - 1]) }
        if !isSorted { periods.sort { $0.isOlder(than: $1) } }
        return isSorted
    }

    /// Assigns to each period the renewal infos that describe it and the statuses signed about it.
    mutating func assign(_ renewalInfos: [Observed<RenewalFact>], notifications: [Observed<NotificationFact>]) {
        let described = renewalInfos.map { indexOfPeriod(spokenOfBy: $0) }
        let statuses = statuses(of: notifications, described: described)
        let renewalInfos = Groups(renewalInfos, numbers: described, count: periods.count)
        let signed = Groups(statuses.map(\.status), numbers: statuses.map(\.period), count: periods.count)
        for index in periods.indices where !renewalInfos[index].isEmpty || !signed[index].isEmpty {
            periods[index].update { $0.add(renewalInfos[index], signed[index]) }
        }
    }

    /// Returns the signed statuses with the indices of their periods, in the order of their evidence.
    /// - Parameter described: the index of the period that each renewal info describes.
    private func statuses(
        of notifications: [Observed<NotificationFact>], described: [Int?]
    ) -> [(period: Int?, status: SignedStatus)] {
        var statuses: [(period: Int?, status: SignedStatus)] = []
        statuses.reserveCapacity(notifications.count)
        for index in periods.indices {
            for status in periods[index].signedStatuses { statuses.append((index, status)) }
        }
        // Most statuses are signed with a renewal info, so this index is rarely made.
        lazy var periodOfTransaction = indexOfTransactions
        for notification in notifications {
            // An undocumented status is ignored: it neither grants access nor lifts a revocation.
            guard let code = notification.value.status, code.isDocumented else { continue }
            func renewalInfo() -> Int? {
                notification.value.signedRenewalInfo.flatMap { carried.renewalInfos[$0] }.flatMap { described[$0] }
            }
            func transaction() -> Int? { notification.value.signedTransactionInfo.flatMap { periodOfTransaction[$0] } }
            // A status 5 applies to the purchase whose transaction accompanies it, if there is one.
            guard let index = code == .revoked ? transaction() ?? renewalInfo() : renewalInfo() ?? transaction(),
                !periods[index].signedStatuses.contains(where: { $0.source == notification.source })
            else { continue }
            let time = carried.time(of: notification)
            statuses.append((index, SignedStatus(code: code, time: time, source: notification.source)))
        }
        let isSorted = statuses.indices.dropFirst().allSatisfy { statuses[$0 - 1].status.precedes(statuses[$0].status) }
        return isSorted ? statuses : statuses.sorted { $0.status.precedes($1.status) }
    }
}

extension SignedStatus {
    /// Whether its evidence is older than that of another status.
    fileprivate func precedes(_ other: SignedStatus) -> Bool {
        time == other.time ? source.precedes(other.source) : time < other.time
    }
}

extension Period.Content {
    /// - Parameters:
    ///   - renewalInfos: those that describe the period, in ascending order of precedence.
    ///   - statuses: all that are signed about it, in the order of their evidence.
    fileprivate mutating func add(
        _ renewalInfos: ArraySlice<Observed<RenewalFact>>, _ statuses: ArraySlice<SignedStatus>
    ) {
        self.renewalInfos = renewalInfos
        signedStatuses = statuses
        if basis != .transaction {
            // A renewal signed with the refund of the preceding purchase, or later, overrides that refund.
            let words = renewalInfos.filter { !$0.value.statesFailure }.map(\.source)
            revocations = revocations.compactMap { $0.lifted(bySourcesAmong: words) }
        }
        let stated = Revocation.all(in: statuses, beside: revocations)
        guard !stated.isEmpty else { return }
        revocations = (revocations + stated).sorted { $0.source.precedes($1.source) }
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
        var isJoined = false
        var restated: Int?
        for (_, index) in joining(renewalDate) {
            isJoined = true
            if restatesEnd(of: index, renewalInfo, renewalDate) { restated = max(restated ?? index, index) }
        }
        if let restated { return .end(of: restated) }
        guard !isJoined else { return .nothingNew }
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
        let period = periods[index]
        for place in period.expiresDate.statements.indices {
            insertEnd(period.expiresDate.statements[place].value, of: index)
        }
    }

    private mutating func insertEnd(_ end: Instant, of index: Int) {
        ends.insert((end, index), at: ends.partitioningIndex { $0.instant > end })
    }

    /// The index of each known period by the digests of its transactions.
    private var indexOfTransactions: [Digest: Int] {
        var known: [Digest: Int] = [:]
        for index in periods.indices.reversed() where periods[index].isKnown {
            for source in periods[index].sourceList { known[source.name.digest] = index }
        }
        return known
    }

    /// Returns the ends at this date; a period may occur twice.
    private func joining(_ renewalDate: Instant) -> ArraySlice<(instant: Instant, index: Int)> {
        let earliest = renewalDate.advanced(byMilliseconds: -Instant.joinTolerance)
        return ends[ends.partitioningIndex { $0.instant >= earliest }...].prefix { $0.instant.isSame(as: renewalDate) }
    }

    /// Returns the index of the period that a renewal info describes: the latest purchase, begun or charged by the
    /// signing, with an end at renewalDate; else the only period with such an end. Older renewal infos and those of
    /// verifyReceipt have no renewalDate and describe the latest purchase begun or charged; where several are stated
    /// together, each describes that of its product.
    private func indexOfPeriod(spokenOfBy renewalInfo: Observed<RenewalFact>) -> Int? {
        let signed = renewalInfo.source.time
        func isBegunOrCharged(_ index: Int) -> Bool {
            periods[index].start <= signed || periods[index].firstStatedAt <= signed
        }
        guard let renewalDate = renewalInfo.value.renewalDate else {
            let (productId, isOneOfSeveral) = (renewalInfo.value.productId, renewalInfo.value.isOneOfSeveral)
            let described = periods.indices.filter {
                isBegunOrCharged($0) && periods[$0].hasEnd
                    && (!isOneOfSeveral || periods[$0].productId == productId)
            }
            guard let last = described.last else { return nil }
            return described.last { periods[last].isOutranked(by: periods[$0], at: signed) } ?? last
        }
        var (latest, only, isOne): (Int?, Int?, Bool) = (nil, nil, true)
        for (_, index) in joining(renewalDate) {
            if isBegunOrCharged(index) { latest = max(latest ?? index, index) }
            isOne = isOne && (only ?? index) == index
            only = index
        }
        return latest ?? (isOne ? only : nil)
    }

    private mutating func addEnd(_ end: Instant, of index: Int, statedBy source: Source) {
        periods[index].update { $0.expiresDate = $0.expiresDate.adding(Observed(source: source, value: end)) }
        insertEnd(end, of: index)
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
                let end = period.latestEnd, let stated = period.firstSource?.time
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

extension [Observed<RenewalFact>] {
    /// The renewal infos, without the removals that precede every renewal in an answer of verifyReceipt.
    /// - Precondition: they are in the total order.
    var withoutGroundlessRemovals: [Observed<RenewalFact>] {
        guard contains(where: \.value.isRemoved) else { return self }
        let firstWord = first { $0.source.rank == .verifyReceiptLatest && !$0.value.isRemoved }?.source.time ?? .latest
        return filter { !$0.value.isRemoved || firstWord < $0.source.time }
    }

    /// The renewal infos in ascending order of precedence, which mostly is that of the timeline.
    var inOrderOfPrecedence: [Observed<RenewalFact>] {
        let isSorted = indices.dropFirst().allSatisfy { self[$0 - 1].isOutweighed(by: self[$0]) }
        return isSorted ? self : sorted { $0.isOutweighed(by: $1) }
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
