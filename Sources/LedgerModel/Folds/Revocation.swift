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

    package func covers(_ t: Instant) -> Bool {
        guard let end else { return start <= t }
        return start <= t && t < end
    }

    /// Whether Apple names it a refund. Transactions signed before 2025 have no revocationType.
    var isNamedRefund: Bool {
        statement?.revocationType == .refundFull || statement?.revocationType == .refundProrated
    }

    /// Whether its source cannot say if the purchase was refunded or replaced: a receipt, and a notification of version 1.
    var mayBeReplacement: Bool { source.rank == .receiptFile || source.rank == .notificationV1 }

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
    static func all(
        in copies: ArraySlice<Observed<TransactionFact>>, reversedBy reversals: [Reversal]
    ) -> [Revocation] {
        copies.compactMap { copy in
            guard let statement = copy.value.revocation else { return nil }
            let stated = copy.source.time
            // A notification takes precedence over the first later copy without revocationDate. That copy must be a
            // JWS: an unsigned source lifts no revocation.
            let reversal =
                reversals.first { $0.evidenceTime >= stated }?.source
                ?? copies.first {
                    $0.source.time > stated && $0.source.rank == .jws && $0.value.revocation == nil
                }?.source
            let start = statement.revocationDate
            if let reversal, reversal.time <= start { return nil }
            return Revocation(
                statement: statement, start: start, end: reversal?.time, source: copy.source, reversal: reversal)
        }
    }

    /// Returns the revocation, ended by the first source signed at or after its statement. Nil when that source is
    /// signed with the statement or by the start. Unchanged without such a source, or when the revocation ends earlier.
    func lifted(bySourcesAmong sources: [Source]) -> Revocation? {
        guard let lifting = sources.first(where: { $0.time >= source.time }) else { return self }
        guard lifting.time > max(source.time, start) else { return nil }
        if let end, end <= lifting.time { return self }
        return Revocation(
            statement: statement, start: start, end: lifting.time, source: source, reversal: lifting)
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
                    reversal: lifting?.source))
        }
        return revocations
    }
}
