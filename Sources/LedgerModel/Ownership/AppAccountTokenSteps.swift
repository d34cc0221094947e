import AppStoreModel
package import Primitives

/// The appAccountToken of a key as a step function of time.
///
/// The token of a new purchase counts from its purchaseDate. A token that a later copy of the transaction changes
/// counts from the signing of that copy, and the token of a renewal info from its signing (domain-rules §11).
package struct AppAccountTokenSteps: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let from: Instant
        package let token: AppAccountToken
        /// The statement that carries the token.
        package let source: Source
    }

    /// Ordered by instant, ascending.
    package let steps: [Step]

    package init(_ timeline: Timeline) {
        var steps: [Step] = []
        // A repeated statement about an old purchase, such as its refund, does not change the owner.
        var stated: [AppleID: AppAccountToken?] = [:]
        for observation in timeline.observations {
            let token = observation.fact.appAccountToken
            switch observation.fact {
            case .transaction(let fact):
                let last = stated.updateValue(token, forKey: fact.transactionId)
                guard let token, token != last ?? nil else { continue }
                let isNewPurchase = last == nil
                let from = isNewPurchase ? fact.purchaseDate : nil
                steps.append(Step(from: from ?? observation.source.time, token: token, source: observation.source))
            case .renewal:
                guard let token else { continue }
                steps.append(Step(from: observation.source.time, token: token, source: observation.source))
            case .notification, .app: continue
            }
        }
        // Among steps from the same instant, the last in the total order counts.
        self.steps = steps.enumerated()
            .sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(\.element)
    }

    /// Returns the newest token at `t`; nil before the first.
    package func token(at t: Instant) -> AppAccountToken? {
        steps.last { $0.from <= t }?.token
    }

    package var tokens: Set<AppAccountToken> { Set(steps.map(\.token)) }
}
