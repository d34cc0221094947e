import AppStoreModel
import Differences
import FactStore
import LedgerAPI
import LedgerModel
import LedgerStorage
import PaidService
import Primitives
import Revenue
import TransparencyLog

/// The answer to a question, and what it was read from. The ledger and the check of a bundle compute it alike.
struct BundleFold {
    var answer: JSONValue
    /// The members of a cell, ordered by key.
    var members: [CohortMemberRow]?
    /// The index terms of the events about the subjects.
    var terms: Set<IndexTerm> = []
    /// The subscriptions among the subjects.
    var keys: Set<SubscriptionKey> = []
}

extension LedgerReader {
    /// - Throws: `BundleError`: `subjectUnknown`; the errors of the answers.
    func fold(_ question: BundleQuestion, _ rules: Rules) throws -> BundleFold {
        var fold =
            switch question.subject {
            case .customer(let owner): try fold(owner, question, rules)
            case .subscription(let key): try fold(key, question, rules)
            case .transaction(let id, let key): try fold(transaction: id, key, question, rules)
            case .cell(let cell): try fold(cell, question, rules)
            case .close(let position, let name, let version): try fold(closeAt: position, name, version)
            }
        fold.answer = fold.answer.read
        return fold
    }

    private func fold(_ owner: Ownership.Owner, _ question: BundleQuestion, _ rules: Rules) throws -> BundleFold {
        let query = question.query(rules)
        var lookup = CustomerLookup(in: self, query, size: question.knownAt)
        let timelines: CustomerTimelines
        switch owner {
        case .customer(let handle):
            timelines = try lookup.timelines(of: .customer(lookup.customer(of: handle)), token: nil)
        case .bearer(let token): timelines = try lookup.timelines(of: owner, token: token)
        }
        var state = CustomerState(
            of: timelines, at: question.asOf, rules: rules, scope: question.scope,
            catalogs: try catalogHistories(knownAt: question.knownAt))
        state.signed = query.signed(later: timelines.countSignedLater(in: question.scope))
        // Conflicts name customers by their handles.
        let answer = state.answer(
            id: question.customerId, handle: timelines.owner.text, asOf: question.asOf, knownAt: question.knownAt)
        let history = try history(of: timelines, query, size: question.knownAt, question.scope, explained: true)
        guard case .object(let members) = answer.json else { preconditionFailure("an answer is an object") }
        return BundleFold(
            answer: .object(members + [.init("history", history.subscriptions.json)]),
            terms: Set(lookup.reads.terms), keys: Set(timelines.evidence.map(\.key)))
    }

    private func fold(_ key: SubscriptionKey, _ question: BundleQuestion, _ rules: Rules) throws -> BundleFold {
        let selector = SubscriptionSelector(
            originalTransactionId: key.originalTransactionId, environment: key.environment, bundleId: key.bundleId)
        guard let state = try state(of: selector, question.query(rules)),
            let history = try history(of: selector, question.query(rules), explained: true)
        else { throw BundleError.unknown("subscription", key.originalTransactionId) }
        var fold = BundleFold(
            answer: .object([
                "state": JSONValue(state.subscriptions.first),
                "history": (history.subscriptions.first?.transitions ?? []).json,
            ]))
        try addSubjects([key], to: &fold, question.knownAt)
        return fold
    }

    private func fold(
        transaction id: String, _ key: SubscriptionKey, _ question: BundleQuestion, _ rules: Rules
    ) throws -> BundleFold {
        let catalogs = try catalogHistories(knownAt: question.knownAt)
        var timelines = try facts.timelines(around: key, knownAt: question.knownAt)
        if let signedBy = question.signedBy { timelines = timelines.signed(by: signedBy) }
        timelines = timelines.typed(by: catalogs)
        let stated = (timelines[key]?.transactions ?? []).filter { $0.value.transactionId.text == id }
        guard !stated.isEmpty else { throw BundleError.unknown("transaction", id) }
        let lineages = Lineage.components(of: timelines)
        let units = lineages.purchaseUnits(by: .group, at: question.asOf, catalogs: catalogs)
        var period = JSONValue.null
        var charges: [ChargeRow] = []
        for unit in units {
            let rates = ProceedsRates(unit, rules.revenue)
            for purchase in unit.purchases where purchase.key == key {
                if purchase.transactionId?.text == id { period = Self.period(of: purchase) }
                charges += purchase.charges(in: nil).filter { $0.transactionId?.text == id }
                    .map { ChargeRow($0, of: purchase, rates) }
            }
        }
        var fold = BundleFold(
            answer: .object([
                "observations": .array(stated.map { Self.observation($0, of: key) }), "period": period,
                "charges": charges.sorted { ($0.at, $0.kind) < ($1.at, $1.kind) }.json,
            ]))
        try addSubjects([key], to: &fold, question.knownAt)
        return fold
    }

    /// Adds some keys and those that Apple's statements join with them. Others, about which the same pages of Apple's
    /// speak, are no subjects.
    private func addSubjects(
        _ keys: some Sequence<SubscriptionKey>, to fold: inout BundleFold, _ size: Position
    ) throws {
        var related = RelatedTimelines(in: facts, knownAt: size)
        let wanted = Set(keys)
        try related.add(wanted)
        for group in Lineage.components(of: related.timelines).groupedByAccounts() {
            let keys = group.flatMap(\.subscriptions).map(\.key)
            guard keys.contains(where: wanted.contains) else { continue }
            fold.keys.formUnion(keys)
            fold.terms.formUnion(keys.map(IndexTerm.subscription))
        }
    }

    private static func observation(_ stated: Observed<TransactionFact>, of key: SubscriptionKey) -> JSONValue {
        let source = stated.source
        return .object([
            "statement": .string(source.name.digest.hex), "path": .string(source.name.path.text),
            "position": JSONValue(position: source.position), "observedAt": JSONValue(source.time),
            "claims": FactDescription.json(
                KeyedObservation(
                    key: .subscription(key), observation: Observation(source: source, fact: .transaction(stated.value)))
            ),
        ])
    }

    private static func period(of purchase: SubscriptionPurchase) -> JSONValue {
        .object([
            "productId": JSONValue(purchase.productId?.text), "startedAt": JSONValue(purchase.start),
            "endedAt": JSONValue(purchase.end), "replacedAt": JSONValue(purchase.replacedAt),
            "revokedAt": JSONValue(purchase.revocations.last?.start), "payment": .string("\(purchase.payment)"),
            "price": JSONValue(purchase.price?.price), "currency": JSONValue(purchase.price?.currency?.text),
            "storefront": JSONValue(purchase.storefront?.text), "duration": JSONValue(purchase.duration?.description),
            "position": JSONValue(position: purchase.position),
        ])
    }
}

extension LedgerReader {
    private func fold(_ cell: BundleCell, _ question: BundleQuestion, _ rules: Rules) throws -> BundleFold {
        var query = AnalysisQuery(question.query(rules), scope: question.scope)
        (query.interval, query.cuts) = (cell.interval, cell.cuts)
        (query.definition, query.zone) = (cell.definition, cell.zone)
        let members = try members(ofCell: cell.name.k, ofCohort: cell.name.cohort, query).subscriptions
        let cells = try cohorts(query).rows.filter { $0.cohort == cell.name.cohort && cell.name.k < $0.cells.count }
            .map { $0.cells[cell.name.k] }
        func sum(_ count: (CohortAnswerCell) -> Int) -> JSONValue { JSONValue(cells.reduce(0) { $0 + count($1) }) }
        return BundleFold(
            answer: .object([
                "table": .string("cohorts"), "key": cell.json,
                "values": .object([
                    "eligible": sum(\.eligible), "retained": sum(\.retained), "pending": sum(\.pending),
                ]),
                "members": JSONValue(members.count),
                "membersSha256": .string(Digest.sha256(of: CohortMemberRow.lines(of: members)).hex),
            ]), members: members)
    }

    /// Adds the terms of members to the fold of a cell.
    func addTerms(of members: [CohortMemberRow], to fold: inout BundleFold, _ size: Position) throws {
        try addSubjects(members.compactMap(\.key), to: &fold, size)
    }

    private func fold(closeAt position: Position, _ name: String, _ version: Int) throws -> BundleFold {
        guard let close = try closes.all(knownAt: .max).first(where: { $0.position == position }),
            close.terms.name == name
        else { throw BundleError.unknown("close", name) }
        let cells = try numbers(of: close).sorted { $0.key < $1.key }.map { NumberRow($0, $1) }
        return BundleFold(
            answer: .object([
                "name": .string(name), "version": JSONValue(version), "position": JSONValue(position: position),
                "terms": close.terms.json, "cells": cells.json,
            ]))
    }
}

extension BundleError {
    static func unknown(_ kind: String, _ id: String) -> BundleError {
        BundleError(.subjectUnknown, "unknown \(kind)", expected: "a known \(kind)", found: id)
    }
}

extension CohortMemberRow {
    /// Returns a line of RFC 8785 JSON for each row.
    static func lines(of rows: [CohortMemberRow]) -> [UInt8] {
        rows.reduce(into: []) { $0 += $1.json.read.canonical() + [UInt8(ascii: "\n")] }
    }

    var key: SubscriptionKey? {
        Environment(known: id.environment).map {
            SubscriptionKey(
                environment: $0, bundleId: id.bundleId, originalTransactionId: id.originalTransactionId)
        }
    }

}

extension SubscriptionID {
    /// Reads the members of a row; nil when one is missing.
    init?(_ json: JSONView) {
        guard let environment = json["environment"]?.string, let bundleId = json["bundleId"]?.string,
            let id = json["originalTransactionId"]?.string
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: id)
    }

    /// The place of a subscription in samples under a root: nobody can choose it.
    func samplingOrder(under root: Digest) -> Digest {
        let names = [environment, bundleId, originalTransactionId]
        return .sha256(of: root.bytes + JSONValue.array(names.map { .string($0) }).canonical())
    }
}
