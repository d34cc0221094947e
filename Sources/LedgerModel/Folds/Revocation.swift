import AppStoreModel
package import Primitives

/// A refund, the end of family sharing or a signed status 5, over [revocationDate, reversedAt).
package struct Revocation: Hashable, Sendable {
    /// Nil where a signed status alone states it.
    package let statement: TransactionFact.Revocation?
    package let start: Instant
    /// Nil while it is not reversed.
    package let end: Instant?
    /// The statement of the revocation.
    package let source: Source
    /// The statement of its reversal.
    package let reversal: Source?

    package func covers(_ t: Instant) -> Bool {
        guard let end else { return start <= t }
        return start <= t && t < end
    }

    /// Whether it has a reason that Apple documents for refunds, or none at all.
    var hasRefundReason: Bool { statement?.revocationReason?.isRefund ?? true }
}

/// A REFUND_REVERSED that names a copy of a purchase.
struct Reversal {
    let source: Source
    /// The signedDate of the copy it carries: a retry of the notification is signed again and reverses nothing that was
    /// stated since.
    let evidenceTime: Instant
}

extension Revocation {
    /// The revocations of one transaction.
    ///
    /// Each copy that states one counts by itself, so a second refund after a reversal is a second interval.
    ///
    /// - Parameters:
    ///   - copies: every observation of the transaction, in the total order.
    ///   - reversals: the REFUND_REVERSED notifications that name any copy of its purchase, in the total order.
    static func all(
        in copies: [Observed<TransactionFact>], reversedBy reversals: [Reversal]
    ) -> [Revocation] {
        copies.compactMap { copy in
            guard let statement = copy.value.revocation else { return nil }
            let stated = copy.source.time
            // A notification outranks the first later copy without revocationDate. That copy must be a JWS: unsigned
            // sources lift only what unsigned sources set.
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

    /// Ends at the first of the sources signed after its statement; nil where one is signed with it.
    func lifted(bySourcesAmong sources: [Source]) -> Revocation? {
        guard let lifting = sources.first(where: { $0.time >= source.time }) else { return self }
        guard lifting.time > max(source.time, start) else { return nil }
        if let end, end <= lifting.time { return self }
        return Revocation(
            statement: statement, start: start, end: lifting.time, source: source, reversal: lifting)
    }

    /// The revocation that a signed status 5 states about a period where nothing else revokes it, until another status
    /// is signed about the period.
    static func all(in statuses: [SignedStatus], beside stated: [Revocation]) -> [Revocation] {
        var revocations: [Revocation] = []
        for (index, status) in statuses.enumerated() where status.code == .revoked {
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
