import AppStoreModel
package import Primitives

/// A refund, the end of family sharing or a signed status 5, over [revocationDate, reversedAt).
package struct Revocation: Hashable, Sendable {
    /// Nil when only a signed status states it.
    package let statement: TransactionFact.Revocation?
    package let start: Instant
    /// Nil unless it is reversed.
    package let end: Instant?
    /// The statement of the revocation.
    package let source: Source
    /// The statement of its reversal.
    package let reversal: Source?
    /// Whether its source cannot say if the purchase was refunded or replaced.
    let mayBeReplacement: Bool

    package func covers(_ t: Instant) -> Bool {
        guard let end else { return start <= t }
        return start <= t && t < end
    }

    /// Whether Apple names it a refund. Transactions signed before 2025 have no revocationType.
    var isNamedRefund: Bool {
        statement?.revocationType == .refundFull || statement?.revocationType == .refundProrated
    }

    /// Whether it has a refund reason that Apple documents, or no reason.
    var hasRefundReason: Bool { statement?.revocationReason?.isRefund ?? true }
}

/// A REFUND_REVERSED that names a copy of a purchase.
struct Reversal {
    let source: Source
    /// The signedDate of the copy it carries. A retry is signed again, but reverses nothing stated in the meantime.
    let evidenceTime: Instant
}

extension Revocation {
    /// Returns the revocations of one transaction.
    ///
    /// Each copy that states a revocation counts separately, so a second refund after a reversal is a second interval.
    ///
    /// - Parameters:
    ///   - copies: every observation of the transaction, in the total order.
    ///   - reversals: the REFUND_REVERSED notifications that name any copy of its purchase, in the total order.
    ///   - context: the statements about the other purchases of the subscription.
    static func all(
        in copies: ArraySlice<Observed<TransactionFact>>, reversedBy reversals: [Reversal], _ context: RevocationContext
    ) -> [Revocation] {
        copies.compactMap { copy in
            guard let statement = copy.value.revocation, !context.isUnprovenUpgrade(copy, statement) else { return nil }
            let reversal = reversal(of: copy, in: copies, reversals)
            let start = statement.revocationDate
            if let reversal, reversal.time <= start { return nil }
            return Revocation(
                statement: statement, start: start, end: reversal?.time, source: copy.source, reversal: reversal,
                mayBeReplacement: copy.source.rank.mayStateReplacement(upgradesAreMarked: context.upgradesAreMarked))
        }
    }

    /// Returns the first word that the revocation stated by `copy` is over.
    ///
    /// A notification takes precedence over the first later copy without revocationDate. That copy must be a JWS. What no
    /// JWS states, answers of verifyReceipt may lift: an app with receipts alone has no other word of a reversal.
    private static func reversal(
        of copy: Observed<TransactionFact>, in copies: ArraySlice<Observed<TransactionFact>>, _ reversals: [Reversal]
    ) -> Source? {
        let stated = copy.source.time
        let signed =
            reversals.first { $0.evidenceTime >= stated }?.source
            ?? copies.first { $0.source.time > stated && $0.source.rank == .jws && $0.value.revocation == nil }?.source
        guard copy.source.rank != .jws, let answered = secondAnswer(after: stated, in: copies) else { return signed }
        return signed.map { $0.time <= answered.time ? $0 : answered } ?? answered
    }

    /// Returns the first answer of verifyReceipt without a revocation that confirms another one at least an hour before
    /// it. Apple's replicas may lag, so that one answer proves nothing.
    private static func secondAnswer(
        after stated: Instant, in copies: ArraySlice<Observed<TransactionFact>>
    ) -> Source? {
        var first: Instant?
        for copy in copies where copy.source.time > stated && copy.source.rank == .verifyReceiptLatest {
            if copy.value.revocation != nil {
                first = nil
            } else if let first, first.advanced(byMilliseconds: Instant.millisecondsPerHour) <= copy.source.time {
                return copy.source
            } else {
                first = first ?? copy.source.time
            }
        }
        return nil
    }

    /// Returns the revocation, ended by the first source signed at or after its statement. Nil when that source is
    /// signed with the statement or by the start. Unchanged without such a source, or when the revocation ends earlier.
    func lifted(bySourcesAmong sources: [Source]) -> Revocation? {
        guard let lifting = sources.first(where: { $0.time >= source.time }) else { return self }
        guard lifting.time > max(source.time, start) else { return nil }
        if let end, end <= lifting.time { return self }
        return Revocation(
            statement: statement, start: start, end: lifting.time, source: source, reversal: lifting,
            mayBeReplacement: mayBeReplacement)
    }

    /// Returns the revocations that signed statuses 5 state about a period when nothing else revokes it, until another
    /// status is signed about the period.
    static func all(in statuses: ArraySlice<SignedStatus>, beside stated: [Revocation]) -> [Revocation] {
        var revocations: [Revocation] = []
        for (index, status) in zip(statuses.indices, statuses) where status.code == .revoked {
            guard !(stated + revocations).contains(where: { $0.covers(status.time) }) else { continue }
            let lifting = statuses[index...].first { $0.time > status.time && $0.code != .revoked }
            revocations.append(
                Revocation(
                    statement: nil, start: status.time, end: lifting?.time, source: status.source,
                    reversal: lifting?.source, mayBeReplacement: false))
        }
        return revocations
    }
}

extension SourceRank {
    /// Whether a cancellation in the source may be a replacement. verifyReceipt marks upgraded purchases, but long ago it
    /// did not.
    fileprivate func mayStateReplacement(upgradesAreMarked: Bool) -> Bool {
        switch self {
        case .receiptFile, .receiptInApp, .notificationV1, .transactionReceipt: true
        case .verifyReceiptLatest: !upgradesAreMarked
        case .jws: false
        }
    }
}
