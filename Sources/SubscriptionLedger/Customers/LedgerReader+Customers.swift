import AppStoreModel
import EventLog
import FactStore
package import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionStatus

extension LedgerReader {
    /// Returns the answer of `GET /v1/customers/{id}`; an empty one for an unused id.
    ///
    /// The handle of a customer is accepted in place of an id. The answer then contains the handle after merges, and no
    /// id.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    package func customer(
        _ externalId: String, _ question: AsOfQuery, scope: CustomerScope = CustomerScope()
    ) throws -> CustomerAnswer<SubscriptionRow> {
        let reference = try reference(to: externalId)
        let (size, state) = try state(of: reference, question, scope)
        guard case .handle(let handle) = reference else {
            return try naming(state.answer(id: externalId, asOf: question.asOf, knownAt: size), question)
        }
        var lookup = CustomerLookup(in: self, question, size: size)
        let customer = try lookup.customer(of: handle)
        return try naming(state.answer(id: nil, handle: customer.hex, asOf: question.asOf, knownAt: size), question)
    }

    /// Returns the rows of a customer's keys; none for an unused id.
    /// - Throws: the same errors as `customer(_:_:scope:)`.
    package func state(
        ofCustomer externalId: String, _ question: AsOfQuery, scope: CustomerScope = CustomerScope()
    ) throws -> StateAnswer {
        let (size, state) = try state(of: reference(to: externalId), question, scope)
        return state.answer(asOf: question.asOf, knownAt: size)
    }

    /// Returns the changes of a customer's keys up to `question.asOf`, including changes of owners. A key that the
    /// customer lost is included up to the loss.
    /// - Throws: the same errors as `customer(_:_:scope:)`.
    package func history(
        ofCustomer externalId: String, _ question: AsOfQuery, scope: CustomerScope = CustomerScope(),
        explained: Bool = false
    ) throws -> HistoryAnswer {
        let size = try knownSize(question.knownAt)
        var lookup = CustomerLookup(in: self, question, size: size)
        guard let timelines = try lookup.timelines(of: reference(to: externalId)) else {
            var empty = HistoryAnswer(asOf: question.asOf, knownAt: size, subscriptions: [])
            empty.signed = question.signed(later: 0)
            return empty
        }
        return try history(of: timelines, question, size: size, scope, explained: explained)
    }

    /// - Parameter size: the number of known events.
    func history(
        of timelines: CustomerTimelines, _ question: AsOfQuery, size: Position, _ scope: CustomerScope, explained: Bool
    ) throws -> HistoryAnswer {
        let rules = try rules(for: question, knownAt: size)
        let owned = OwnedSubscriptions(of: timelines, at: question.asOf, rules: rules, scope: scope)
        let rows = try owned.lineages.histories(until: question.asOf, rules: rules, check: WorkLimit.check)
            .filter { scope.contains($0.key) }
            .compactMap { history -> SubscriptionHistoryRow? in
                let owners = try ownerHistory(of: history, in: timelines, until: question.asOf, rules)
                let lost = owners?.lastLoss(by: timelines.owner, timelines.directory)
                let end = owned.keys.contains(history.key) ? question.asOf : lost
                guard let end else { return nil }
                var row = SubscriptionHistoryRow(history, explained: explained)
                if let owners { try row.add(owners, to: history.key, in: owned.lineages, rules, explained: explained) }
                row.transitions.removeAll { $0.at > end }
                return row
            }
        var answer = Answer(asOf: question.asOf, knownAt: size, subscriptions: rows)
        answer.signed = question.signed(later: timelines.countSignedLater(in: scope))
        return answer
    }

    private func ownerHistory(
        of history: SubscriptionHistory, in timelines: CustomerTimelines, until end: Instant, _ rules: Rules
    ) throws -> OwnerHistory? {
        guard let evidence = timelines.evidence.first(where: { $0.key == history.key }),
            let start = history.transitions.first?.at
        else { return nil }
        return try OwnerHistory(
            of: evidence, directory: timelines.directory, after: start, until: end, rule: rules.customers.claimConflict
        ) { position in
            guard let record = try log.record(at: position) else {
                throw StorageError(.logCorrupt, "event at position \(position) is missing")
            }
            return record.recordedAt
        }
    }

    /// Returns the answer about the customer that owns a subscription: `GET /v1/subscriptions/{otid}/customer`.
    ///
    /// If there are several owners under the rule `share`, this is the one with the least handle. The answer contains
    /// the least of the customer's external ids, or the handle of an anonymous customer.
    /// - Returns: nil when no such key was known.
    /// - Throws: `parameter_invalid` when keys of several apps match; `StorageError`.
    package func customer(
        owning originalTransactionId: String, _ question: AsOfQuery, scope: CustomerScope
    ) throws -> CustomerAnswer<SubscriptionRow>? {
        let size = try knownSize(question.knownAt)
        let keys = try facts.keys(
            ofOriginalTransactionId: originalTransactionId, environment: scope.environment, bundleId: scope.bundleId
        ).filter(scope.contains)
        guard keys.count <= 1 else { throw CustomerError.subscriptionAmbiguous }
        guard let key = keys.first else { return nil }
        var related = RelatedTimelines(in: facts, knownAt: size)
        try related.add([key])
        guard let timeline = related.timelines[key] else { return nil }
        let evidence = related.ownershipEvidence(of: key, timeline)
        var lookup = CustomerLookup(in: self, question, size: size)
        try lookup.load(evidence)
        let rules = try rules(for: question, knownAt: size)
        let owner = Ownership(
            evidence, at: question.asOf, directory: lookup.directory, rule: rules.customers.claimConflict
        ).owners.min()
        let token: AppAccountToken? = if case .bearer(let token)? = owner { token } else { nil }
        let timelines = try owner.map { try lookup.timelines(of: $0, token: token) }
        var state = CustomerState(
            of: timelines, at: question.asOf, rules: rules, scope: scope, catalogs: try catalogHistories(knownAt: size))
        state.signed = question.signed(later: timelines?.countSignedLater(in: scope))
        let id = try owner.flatMap { try self.id(of: $0, createdBefore: lookup.idsCreatedBelow) }
        let handle: String? = if id == nil, case .customer(let handle)? = owner { handle.hex } else { nil }
        return try naming(state.answer(id: id, handle: handle, asOf: question.asOf, knownAt: size), question)
    }

    /// Returns the answer to a call that changed a customer.
    func answer(
        _ externalId: String, of submitter: Submitter, _ scope: CustomerScope
    ) throws -> CustomerAnswer<SubscriptionRow> {
        let (size, asOf, state) = try currentState(of: submitter, scope)
        return try naming(state.answer(id: externalId, asOf: asOf, knownAt: size))
    }

    /// Returns the least of an owner's external ids; nil for an anonymous customer.
    /// - Parameter size: the log size below which an id must have been stored.
    func id(of owner: Ownership.Owner, createdBefore size: Position = .max) throws -> String? {
        switch owner {
        case .bearer(let token): token.text
        case .customer(let handle): try vault?.ids(of: handle, createdBefore: size).first
        }
    }

    /// Returns an answer whose conflicts name the other customer by an id if it has one. The ids are read from the
    /// vault on every call, because cached answers do not contain them.
    /// - Parameter question: nil for the present.
    func naming(
        _ answer: CustomerAnswer<SubscriptionRow>, _ question: AsOfQuery? = nil
    ) throws -> CustomerAnswer<SubscriptionRow> {
        var answer = answer
        let size = question?.knownAt == nil ? Position.max : answer.knownAt
        for index in answer.conflicts.indices {
            guard let other = answer.conflicts[index].with.flatMap({ Ownership.Owner($0) }) else { continue }
            answer.conflicts[index].with = try id(of: other, createdBefore: size) ?? other.text
        }
        return answer
    }

    /// Returns the current state of the customer named in a posting.
    func currentState(
        of submitter: Submitter, _ scope: CustomerScope
    ) throws -> (size: Position, asOf: Instant, CustomerState) {
        let asOf = configuration.clock()
        var lookup = try CustomerLookup(in: self)
        let owner: Ownership.Owner? =
            submitter.isProvisional
            ? submitter.name?.token.map { .bearer($0) } : .customer(try lookup.customer(of: submitter.customer))
        let timelines = try owner.map { try lookup.timelines(of: $0, token: submitter.name?.token) }
        let rules = try rules(knownAt: lookup.size)
        let catalogs = try catalogHistories(knownAt: lookup.size)
        return (
            lookup.size, asOf, CustomerState(of: timelines, at: asOf, rules: rules, scope: scope, catalogs: catalogs)
        )
    }

    /// Returns the customer named in a question. A text in use as an id is an id, even if it has the form of a handle.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    func reference(to externalId: String) throws -> CustomerReference {
        let name = try ExternalCustomerID(externalId)
        guard let vault, let handle = CustomerHandle(hex: externalId), try vault.isAnonymous(handle) != nil,
            try vault.customer(of: name, createdBefore: .max) == nil
        else { return .name(name) }
        return .handle(handle)
    }

    /// - Returns: the number of known events, and the state.
    private func state(
        of reference: CustomerReference, _ question: AsOfQuery, _ scope: CustomerScope
    ) throws -> (size: Position, CustomerState) {
        // Read before the cache: a current state is valid at least up to this size.
        let size = try knownSize(question.knownAt)
        let rules = try rules(for: question, knownAt: size)
        let (asOf, isPresent) = (question.asOf, question.knownAt == nil && question.signedBy == nil)
        if isPresent, let known = customerStates.entry(of: reference), known.validity.contains(asOf),
            known.rules == rules, known.scope == scope, try known.reads.isCurrent(in: self)
        {
            return (size, known.state)
        }
        var lookup = CustomerLookup(in: self, question, size: size)
        let timelines = try lookup.timelines(of: reference)
        var state = CustomerState(
            of: timelines, at: asOf, rules: rules, scope: scope, catalogs: try catalogHistories(knownAt: size))
        state.signed = question.signed(later: timelines?.countSignedLater(in: scope))
        if isPresent, let timelines {
            var reads = lookup.reads
            reads.terms.append(.catalogChanges)
            let validity = timelines.validity(around: asOf, rules: rules, state.turningPoints)
            let entry = CustomerStateCache.Entry(
                state: state, rules: rules, scope: scope, validity: validity, reads: reads)
            customerStates.keep(entry, of: reference)
        }
        return (size, state)
    }
}
