import AppStoreModel
package import Primitives

/// The appAccountToken of a key as a step function of time.
///
/// The token of a new purchase counts from its purchaseDate. A token that a later copy of the transaction changes
/// counts from the time of that copy, and the token of a renewal info from its signing (domain-rules §11). Signed tokens
/// are separate from those in answers of verifyReceipt. Notifications of version 1 open nothing, so their tokens do not
/// count.
package struct AppAccountTokenSteps: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let from: Instant
        package let token: AppAccountToken
        /// The statement that carries the token.
        package let source: Source
    }

    /// Ordered by instant, ascending.
    package let signed: [Step]
    /// Those that answers of verifyReceipt state, ordered by instant, ascending.
    package let unsigned: [Step]

    package init(_ timeline: Timeline) {
        signed = Self.steps(in: timeline, from: [.jws])
        unsigned = Self.steps(in: timeline, from: [.verifyReceiptLatest, .receiptInApp])
    }

    private static func steps(in timeline: Timeline, from ranks: [SourceRank]) -> [Step] {
        var steps: [Step] = []
        // A repeated statement about an old purchase, such as its refund, does not change the owner.
        var stated: [AppleID: AppAccountToken?] = [:]
        for transaction in timeline.transactions where ranks.contains(transaction.source.rank) {
            let (fact, source) = (transaction.value, transaction.source)
            let last = stated.updateValue(fact.appAccountToken, forKey: fact.transactionId)
            guard let token = fact.appAccountToken, token != last ?? nil else { continue }
            let isNewPurchase = last == nil
            let from = isNewPurchase ? fact.purchaseDate : nil
            steps.append(Step(from: from ?? source.time, token: token, source: source))
        }
        for renewal in timeline.renewals where ranks.contains(renewal.source.rank) {
            guard let token = renewal.value.appAccountToken else { continue }
            steps.append(Step(from: renewal.source.time, token: token, source: renewal.source))
        }
        // Among steps from the same instant, the last in the total order counts.
        return steps.sorted { $0.from == $1.from ? $0.source.precedes($1.source) : $0.from < $1.from }
    }

    private init(signed: [Step], unsigned: [Step]) {
        (self.signed, self.unsigned) = (signed, unsigned)
    }

    /// Returns the steps that events from a position on state.
    func stated(from position: Position) -> AppAccountTokenSteps {
        AppAccountTokenSteps(
            signed: signed.filter { $0.source.position >= position },
            unsigned: unsigned.filter { $0.source.position >= position })
    }

    /// All steps, the signed ones first.
    package var steps: [Step] { signed + unsigned }

    package var tokens: Set<AppAccountToken> {
        var tokens: Set<AppAccountToken> = []
        var last: AppAccountToken?
        for step in steps where step.token != last {
            tokens.insert(step.token)
            last = step.token
        }
        return tokens
    }
}

extension [AppAccountTokenSteps.Step] {
    /// Returns the newest step at `t`; nil before the first.
    func newest(at t: Instant) -> AppAccountTokenSteps.Step? {
        last { $0.from <= t }
    }
}
