import AppStoreModel
import EventLog
package import LedgerAPI
import LedgerModel
import Primitives
import ProjectionRuntime
import SubscriptionStatus

extension Ledger {
    /// Returns the answer of `GET /v1/customers/{id}`; an empty one for an unused id.
    ///
    /// The handle of a customer is accepted in place of an id; the answer then has the handle after merges, and no id.
    /// - Throws: `customer_id_invalid`; `EventLogError`.
    package func customer(
        _ externalId: String, _ question: Question, scope: CustomerScope = CustomerScope()
    ) throws -> CustomerAnswer<SubscriptionRow> {
        let reference = try reference(to: externalId)
        let (size, state) = try state(of: reference, question, scope)
        guard case .handle(let handle) = reference else {
            return try naming(state.answer(id: externalId, asOf: question.asOf, knownAt: size))
        }
        var lookup = CustomerLookup(in: self, knownAt: question.knownAt, size: size)
        let customer = try lookup.customer(of: handle)
        return try naming(state.answer(id: nil, handle: customer.hex, asOf: question.asOf, knownAt: size))
    }

    /// Returns the rows of a customer's keys; none for an unused id.
    /// - Throws: as `customer(_:_:scope:)`.
    package func state(
        ofCustomer externalId: String, _ question: Question, scope: CustomerScope = CustomerScope()
    ) throws -> StateAnswer {
        let (size, state) = try state(of: reference(to: externalId), question, scope)
        return state.answer(asOf: question.asOf, knownAt: size)
    }

    /// Returns the changes of a customer's keys up to `question.asOf`, including changes of owners. A key that the customer
    /// lost is listed up to the loss.
    /// - Throws: as `customer(_:_:scope:)`.
    package func history(
        ofCustomer externalId: String, _ question: Question, scope: CustomerScope = CustomerScope(),
        explained: Bool = false
    ) throws -> HistoryAnswer {
        let (size, known) = try known(of: reference(to: externalId), question.knownAt)
        guard let portfolio = known.portfolio else {
            return Answer(asOf: question.asOf, knownAt: size, subscriptions: [])
        }
        let rules = rules(for: question)
        let holdings = Holdings(of: portfolio, at: question.asOf, rules: rules, scope: scope)
        let rows = try holdings.lineages.histories(until: question.asOf, rules: rules)
            .filter { scope.contains($0.key) }
            .compactMap { history -> SubscriptionHistoryRow? in
                let owners = try ownerHistory(of: history, in: portfolio, until: question.asOf, rules)
                let lost = owners?.lastLoss(by: portfolio.owner, portfolio.roster)
                let end = holdings.owned.contains(history.key) ? question.asOf : lost
                guard let end else { return nil }
                var row = SubscriptionHistoryRow(history, explained: explained)
                if let owners { row.add(owners, to: history.key, in: holdings.lineages, rules, explained: explained) }
                row.transitions.removeAll { $0.at > end }
                return row
            }
        return Answer(asOf: question.asOf, knownAt: size, subscriptions: rows)
    }

    private func ownerHistory(
        of history: SubscriptionHistory, in portfolio: Portfolio, until end: Instant, _ rules: Rules
    ) throws -> OwnerHistory? {
        guard let evidence = portfolio.evidence.first(where: { $0.key == history.key }),
            let start = history.transitions.first?.at
        else { return nil }
        return try OwnerHistory(
            of: evidence, roster: portfolio.roster, after: start, until: end, rule: rules.customers.claimConflict
        ) { position in
            guard let record = try log.record(at: position) else {
                throw EventLogError(.logCorrupt, "the event at position \(position) is missing")
            }
            return record.recordedAt
        }
    }

    /// Returns the answer about the customer who owns a subscription: `GET /v1/subscriptions/{otid}/customer`. With
    /// several owners, under the rule `share`, this is the one with the least handle. The answer has the least of the
    /// customer's external ids, or the handle of an anonymous customer.
    /// - Returns: nil when no such key was known.
    /// - Throws: `parameter_invalid` when keys of several apps match; `EventLogError`.
    package func customer(
        owning originalTransactionId: String, _ question: Question, scope: CustomerScope
    ) throws -> CustomerAnswer<SubscriptionRow>? {
        let size = try knownSize(question.knownAt)
        let keys = try derived.keys(
            ofOriginalTransactionId: originalTransactionId, environment: scope.environment, bundleId: scope.bundleId
        ).filter(scope.contains)
        guard keys.count <= 1 else { throw CustomerError.subscriptionAmbiguous }
        guard let key = keys.first else { return nil }
        var surroundings = Surroundings(in: derived, knownAt: size)
        try surroundings.add([key])
        guard let timeline = surroundings.timelines[key] else { return nil }
        let evidence = surroundings.ownershipEvidence(of: key, timeline)
        var lookup = CustomerLookup(in: self, knownAt: question.knownAt, size: size)
        try lookup.load(evidence)
        let rules = rules(for: question)
        let owner = Ownership(
            evidence, at: question.asOf, roster: lookup.roster, rule: rules.customers.claimConflict
        ).owners.min()
        let token: AppAccountToken? = if case .bearer(let token)? = owner { token } else { nil }
        let portfolio = try owner.map { try lookup.portfolio(of: $0, token: token) }
        let state = CustomerState(of: portfolio, at: question.asOf, rules: rules, scope: scope)
        let id = try owner.flatMap { try self.id(of: $0) }
        let handle: String? = if id == nil, case .customer(let handle)? = owner { handle.hex } else { nil }
        return try naming(state.answer(id: id, handle: handle, asOf: question.asOf, knownAt: size))
    }

    /// Returns the answer to a call that changed a customer.
    func answer(
        _ externalId: String, of submitter: Submitter, _ scope: CustomerScope
    ) throws -> CustomerAnswer<SubscriptionRow> {
        let (size, asOf, state) = try currentState(of: submitter, scope)
        return try naming(state.answer(id: externalId, asOf: asOf, knownAt: size))
    }

    /// Returns the least of an owner's external ids; nil for an anonymous customer.
    private func id(of owner: Ownership.Owner) throws -> String? {
        switch owner {
        case .bearer(let token): token.text
        case .customer(let handle): try vault?.names(of: handle).first
        }
    }

    /// Returns an answer whose conflicts name the other customer by an id where there is one. Ids come from the vault
    /// each time: no cache holds them.
    func naming(_ answer: CustomerAnswer<SubscriptionRow>) throws -> CustomerAnswer<SubscriptionRow> {
        var answer = answer
        for index in answer.conflicts.indices {
            guard let other = answer.conflicts[index].with.flatMap({ Ownership.Owner($0) }) else { continue }
            answer.conflicts[index].with = try id(of: other) ?? other.text
        }
        return answer
    }

    /// Returns the present state of the customer that a posting names.
    func currentState(
        of submitter: Submitter, _ scope: CustomerScope
    ) throws -> (size: Position, asOf: Instant, CustomerState) {
        let asOf = configuration.clock()
        var lookup = try CustomerLookup(in: self)
        let owner: Ownership.Owner? =
            submitter.isProvisional
            ? submitter.name?.token.map { .bearer($0) } : .customer(try lookup.customer(of: submitter.customer))
        let portfolio = try owner.map { try lookup.portfolio(of: $0, token: submitter.name?.token) }
        return (
            lookup.size, asOf, CustomerState(of: portfolio, at: asOf, rules: configuration.rules, scope: scope)
        )
    }

    /// Returns the customer that a question names. An id in use is an id, also when it reads like a handle.
    /// - Throws: `customer_id_invalid`; `EventLogError`.
    private func reference(to externalId: String) throws -> CustomerReference {
        let name = try CustomerName(externalId)
        guard let vault, let handle = CustomerHandle(hex: externalId), try vault.isAnonymous(handle) != nil,
            try vault.customer(of: name, metBelow: .max) == nil
        else { return .name(name) }
        return .handle(handle)
    }

    /// - Returns: also the number of known events.
    private func state(
        of reference: CustomerReference, _ question: Question, _ scope: CustomerScope
    ) throws -> (size: Position, CustomerState) {
        let (size, known) = try known(of: reference, question.knownAt)
        let rules = rules(for: question)
        if let state = known.state, state.holds(at: question.asOf, rules: rules, scope: scope) { return (size, state) }
        let state = CustomerState(of: known.portfolio, at: question.asOf, rules: rules, scope: scope)
        if question.knownAt == nil {
            var known = known
            known.state = state
            portfolios.keep(known, of: reference)
        }
        return (size, state)
    }

    /// Returns the cached entry of a customer if no event has changed it since, else a new one.
    private func known(
        of reference: CustomerReference, _ knownAt: Question.KnownAt?
    ) throws -> (size: Position, PortfolioCache.Entry) {
        // Taken before the check: an entry found unchanged is valid at least up to this size.
        let size = try knownSize(knownAt)
        if knownAt == nil, let known = portfolios.entry(of: reference), try isUnchanged(known) { return (size, known) }
        var lookup = CustomerLookup(in: self, knownAt: knownAt, size: size)
        let portfolio: Portfolio? =
            switch reference {
            case .handle(let handle):
                try lookup.portfolio(of: .customer(lookup.customer(of: handle)), token: nil)
            case .name(let name):
                try (lookup.customer(of: name).map(Ownership.Owner.customer) ?? name.token.map { .bearer($0) })
                    .map { try lookup.portfolio(of: $0, token: name.token) }
            }
        let known = PortfolioCache.Entry(
            portfolio: portfolio, size: size, terms: Array(lookup.terms), unmetNames: lookup.unmetNames,
            tokensByHandle: lookup.tokensByHandle)
        return (size, known)
    }

    private func isUnchanged(_ entry: PortfolioCache.Entry) throws -> Bool {
        guard derived.isUnchanged(entry.terms, since: entry.size) else { return false }
        return try entry.unmetNames.allSatisfy { try vault?.customer(of: $0, metBelow: .max) == nil }
            && entry.tokensByHandle.allSatisfy { try vault?.tokens(of: $0.key, metBelow: .max) ?? [] == $0.value }
    }
}
