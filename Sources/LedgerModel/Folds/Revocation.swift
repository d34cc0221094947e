package import Primitives

/// A refund or the end of family sharing, over [revocationDate, reversedAt).
package struct Revocation: Hashable, Sendable {
    package let statement: TransactionFact.Revocation?
    package let start: Instant
    /// Nil while it is not reversed.
    package let end: Instant?
    /// Who states the revocation.
    package let source: Source
    /// Who states its reversal.
    package let reversal: Source?

    package func covers(_ t: Instant) -> Bool {
        guard let end else { return start <= t }
        return start <= t && t < end
    }
}

extension Revocation {
    /// The revocations of one transaction.
    ///
    /// Each copy that states one counts by itself, so a second refund after a reversal is a second interval. A
    /// replaced transaction is never a refund, whatever dates it carries.
    ///
    /// - Parameters:
    ///   - copies: every observation of the transaction, in the total order.
    ///   - reversals: the REFUND_REVERSED notifications that name it, in the total order.
    static func all(
        in copies: [Observed<TransactionFact>], reversedBy reversals: [Observed<NotificationFact>]
    ) -> [Revocation] {
        copies.compactMap { copy in
            guard let statement = copy.value.revocation, !copy.value.isReplaced else { return nil }
            let stated = copy.source.time
            // A notification outranks the first later copy without revocationDate. That copy must be a JWS: unsigned
            // sources lift only what unsigned sources set.
            let reversal =
                reversals.first { $0.source.time >= stated }?.source
                ?? copies.first {
                    $0.source.time > stated && $0.source.rank == .jws && $0.value.revocation == nil
                }?.source
            let start = statement.revocationDate
            if let reversal, reversal.time <= start { return nil }
            return Revocation(
                statement: statement, start: start, end: reversal?.time, source: copy.source, reversal: reversal)
        }
    }
}
