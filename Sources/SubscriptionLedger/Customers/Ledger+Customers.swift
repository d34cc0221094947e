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
        let name = try CustomerName(externalId)
        let (size, holdings) = try holdings(of: name, question)
        return answer([.init("id", .string(externalId))], holdings, size, question)
    }

    /// `{"asOf","knownAt","subscriptions":[…]}` of a customer's keys; empty when nobody has used the id.
    /// - Throws: as `customer(_:_:)`.
    package func state(ofCustomer externalId: String, _ question: Question) throws -> JSONValue {
        let (size, holdings) = try holdings(of: CustomerName(externalId), question)
        return .object(head(size, question) + [.init("subscriptions", .array(holdings.states(question).map(\.json)))])
    }

    /// The same with `transitions` instead of states.
    /// - Throws: as `customer(_:_:)`.
    package func history(
        ofCustomer externalId: String, _ question: Question, explained: Bool = false
    ) throws -> JSONValue {
        let (size, holdings) = try holdings(of: CustomerName(externalId), question)
        let rows = holdings.lineages.histories(until: question.asOf, rules: question.rules)
            .filter { holdings.owned.contains($0.key) }.map { $0.json(explained: explained) }
        return .object(head(size, question) + [.init("subscriptions", .array(rows))])
    }

    /// What is to be told of a customer now.
    /// - Parameter names: the members that say who it is.
    func answer(
        _ names: [JSONValue.Member], _ customer: CustomerHandle, token: AppAccountToken?
    ) throws -> JSONValue {
        var question = Question(asOf: configuration.clock())
        question.rules = configuration.rules
        var lookup = try CustomerLookup(in: self)
        let holdings = try lookup.holdings(
            of: .customer(try lookup.customer(of: customer)), token: token, at: question.asOf,
            rule: question.rules.customers.claimConflict)
        return answer(names, holdings, lookup.size, question)
    }

    private func holdings(of name: CustomerName, _ question: Question) throws -> (Position, Holdings) {
        var lookup = try CustomerLookup(in: self, knownAt: question.knownAt)
        let known = try lookup.customer(of: name)
        guard let owner = known.map(Ownership.Owner.customer) ?? name.token.map(Ownership.Owner.bearer) else {
            return (lookup.size, .none)
        }
        let rule = question.rules.customers.claimConflict
        return (lookup.size, try lookup.holdings(of: owner, token: name.token, at: question.asOf, rule: rule))
    }

    private func head(_ size: Position, _ question: Question) -> [JSONValue.Member] {
        [.init("asOf", JSONValue(question.asOf)), .init("knownAt", .integer(Int64(size)))]
    }

    private func answer(
        _ names: [JSONValue.Member], _ holdings: Holdings, _ size: Position, _ question: Question
    ) -> JSONValue {
        let states = holdings.states(question)
        var members = names + head(size, question)
        members.append(.init("subscriptions", .array(states.map(\.json))))
        members.append(.init("nextStep", .string(CustomerNextStep.of(states.map { .init($0) }).rawValue)))
        if !holdings.tokenConflicts.isEmpty {
            members.append(.init("tokenConflicts", .array(holdings.tokenConflicts.map(\.json))))
        }
        return .object(members)
    }
}

extension Holdings {
    fileprivate func states(_ question: Question) -> [SubscriptionState] {
        lineages.states(at: question.asOf, rules: question.rules).filter { owned.contains($0.key) }
    }
}

extension SubscriptionKey {
    fileprivate var json: JSONValue {
        .object([
            "environment": .string(environment.rawValue), "bundleId": .string(bundleId),
            "originalTransactionId": .string(originalTransactionId),
        ])
    }
}
