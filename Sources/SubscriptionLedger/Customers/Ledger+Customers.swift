import AppStoreModel
import EventLog
import LedgerModel
package import Primitives
import ProjectionRuntime
import SubscriptionStatus

extension Ledger {
    /// The answer of `GET /v1/customers/{id}`: `id`, `asOf`, `knownAt`, `subscriptions`, `nextStep`. Of an id that
    /// nobody has used it is empty.
    /// - Throws: `customer_id_invalid`; `EventLogError`.
    package func customer(_ externalId: String, _ question: Question) throws -> JSONValue {
        let (size, told) = try told(of: CustomerName(externalId), question)
        return .object([.init("id", .string(externalId))] + head(size, question) + told.members)
    }

    /// `{"asOf","knownAt","subscriptions":[…]}` of a customer's keys; empty when nobody has used the id.
    /// - Throws: as `customer(_:_:)`.
    package func state(ofCustomer externalId: String, _ question: Question) throws -> JSONValue {
        let (size, told) = try told(of: CustomerName(externalId), question)
        return .object(head(size, question) + [.init("subscriptions", told.subscriptions)])
    }

    /// The same with `transitions` instead of states.
    /// - Throws: as `customer(_:_:)`.
    package func history(
        ofCustomer externalId: String, _ question: Question, explained: Bool = false
    ) throws -> JSONValue {
        let (size, known) = try known(of: CustomerName(externalId), question.knownAt)
        let holdings = Holdings(of: known.portfolio, question)
        let rows = holdings.lineages.histories(until: question.asOf, rules: question.rules)
            .filter { holdings.owned.contains($0.key) }.map { $0.json(explained: explained) }
        return .object(head(size, question) + [.init("subscriptions", .array(rows))])
    }

    /// What a posting or an identification is answered with: what is to be told of the customer now.
    /// - Parameter names: the members that say who it is.
    func answer(
        _ names: [JSONValue.Member], _ customer: CustomerHandle, token: AppAccountToken?
    ) throws -> JSONValue {
        var question = Question(asOf: configuration.clock())
        question.rules = configuration.rules
        var lookup = try CustomerLookup(in: self)
        let portfolio = try lookup.portfolio(of: .customer(try lookup.customer(of: customer)), token: token)
        return .object(names + head(lookup.size, question) + CustomerAnswer(of: portfolio, question).members)
    }

    /// - Returns: also how many events are known.
    private func told(of name: CustomerName, _ question: Question) throws -> (size: Position, CustomerAnswer) {
        let (size, known) = try known(of: name, question.knownAt)
        if let answer = known.answer, answer.holds(for: question) { return (size, answer) }
        let answer = CustomerAnswer(of: known.portfolio, question)
        if question.knownAt == nil {
            var known = known
            known.answer = answer
            portfolios.keep(known, of: name)
        }
        return (size, answer)
    }

    /// What is known by a name: as it was last gathered, when nothing has come that changes it.
    private func known(
        of name: CustomerName, _ knownAt: Question.KnownAt?
    ) throws -> (size: Position, PortfolioCache.Entry) {
        // Before anything is looked at: what is found to be unchanged holds up to here at least.
        let size = try knownSize(knownAt)
        if knownAt == nil, let known = portfolios.entry(of: name), try isUnchanged(known) { return (size, known) }
        var lookup = CustomerLookup(in: self, knownAt: knownAt, size: size)
        let owner = try lookup.customer(of: name).map(Ownership.Owner.customer) ?? name.token.map { .bearer($0) }
        let portfolio = try owner.map { try lookup.portfolio(of: $0, token: name.token) }
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

    private func head(_ size: Position, _ question: Question) -> [JSONValue.Member] {
        [.init("asOf", JSONValue(question.asOf)), .init("knownAt", .integer(Int64(size)))]
    }
}
