import AppStoreModel
import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

/// Bundles: an answer with everything that a stranger needs to check it, in a ZIP file.
extension LedgerReader {
    /// The maximum number of events in a bundle.
    package static let bundlePositionsMax = 10_000

    /// Writes the answer to a question with its evidence and proofs.
    ///
    /// The same question with the same coordinates gives the same bytes, as long as the ledger has the same anchors and
    /// cosignatures.
    /// - Throws: `BundleError`; the errors of the answers; `StorageError`.
    package func writeBundle(_ request: BundleRequest, to path: String) throws -> WrittenBundle {
        let size = try knownSize(request.question.knownAt)
        let rules = try rules(for: request.question, knownAt: size)
        let question = try resolved(request, size)
        var fold = try fold(question, rules)
        let extent = try BundleExtent(of: question, in: self, request.sample)
        let members = fold.members?.sampled(request.sample, under: extent.head.root)
        if let members { try addTerms(of: members, to: &fold, size) }
        let positions = try positions(of: fold, question, hasRules: request.question.rules != nil)
        return try BundleMaker(
            ledger: self, request: request, question: question, rules: rules, fold: fold, members: members,
            positions: positions, extent: try extent.covering(positions, in: self)
        ).write(to: path)
    }

    /// Returns the positions of the events in the bundle, ascending.
    private func positions(of fold: BundleFold, _ question: BundleQuestion, hasRules: Bool) throws -> [Position] {
        var positions: Set<Position> = []
        for term in fold.terms {
            positions.formUnion(try facts.positions(under: term).prefix { $0 < question.knownAt })
            guard positions.count <= Self.bundlePositionsMax else { throw BundleError.positions }
        }
        var size = question.knownAt
        if case .close(let position, _, _) = question.subject {
            positions.insert(position)
            size = try closes.all(knownAt: .max).first { $0.position == position }?.terms.size ?? size
            positions.formUnion(try appliedRates.positions(in: 0..<size))
        }
        if !hasRules, let position = try activeRules.activation(knownAt: size)?.position { positions.insert(position) }
        positions.formUnion(try appliedCatalogs.positions(in: 0..<size))
        // The facts of erased evidence are in the events that erased it.
        for position in positions {
            if case .erased(let erased) = try log.eventEvidence(at: position) { positions.insert(erased.erasedBy) }
        }
        guard positions.count <= Self.bundlePositionsMax else { throw BundleError.positions }
        return positions.sorted()
    }
}

extension LedgerReader {
    /// Returns the question with names that every ledger of these events resolves alike.
    private func resolved(_ request: BundleRequest, _ size: Position) throws -> BundleQuestion {
        let environment = request.environment ?? .production
        func question(_ subject: BundleQuestion.Subject, _ key: SubscriptionKey? = nil) -> BundleQuestion {
            BundleQuestion(
                subject: subject, environment: key?.environment ?? environment,
                bundleId: key?.bundleId ?? request.bundleId, asOf: request.question.asOf, knownAt: size,
                signedBy: request.question.signedBy)
        }
        switch request.subject {
        case .customer(let id):
            var asked = question(.customer(try owner(named: id, request.question, size)))
            if request.withCustomerId { asked.customerId = id }
            return asked
        case .subscription(let id):
            let key = try key(of: id, request, size)
            return question(.subscription(key), key)
        case .transaction(let id):
            let key = try key(ofTransaction: id, request, size)
            return question(.transaction(id, key), key)
        case .cell(var cell):
            cell.sample = request.sample
            return question(.cell(cell))
        case .close(let name):
            let close = try close(name)
            let row = row(of: close, among: try closes.all(knownAt: try knownSize(nil)))
            var asked = question(.close(close.position, name: close.terms.name, version: row.version))
            asked.asOf = close.terms.asOf
            return asked
        }
    }

    private func owner(named id: String, _ query: AsOfQuery, _ size: Position) throws -> Ownership.Owner {
        var lookup = CustomerLookup(in: self, query, size: size)
        switch try reference(to: id) {
        case .handle(let handle): return .customer(try lookup.customer(of: handle))
        case .name(let name):
            if let handle = try lookup.customer(of: name) { return .customer(handle) }
            // A handle that the log names, as earlier bundles do.
            if let handle = CustomerHandle(hex: id), try !facts.positions(under: .claims(of: handle)).isEmpty {
                return .customer(try lookup.customer(of: handle))
            }
            guard let token = name.token else { throw BundleError.unknown("customer", "an unused id") }
            return .bearer(token)
        }
    }

    private func key(of id: String, _ request: BundleRequest, _ size: Position) throws -> SubscriptionKey {
        let keys = try facts.keys(
            ofOriginalTransactionId: id, environment: request.environment, bundleId: request.bundleId)
        guard keys.count <= 1 else {
            throw BundleError(
                .subjectAmbiguous, "several subscriptions have this originalTransactionId", expected: "one",
                found: keys.map { "\($0.environment.rawValue) \($0.bundleId)" }.joined(separator: ", "),
                hint: "Use --environment and --bundle-id.")
        }
        guard let key = keys.first, try facts.timelines(around: key, knownAt: size)[key] != nil else {
            throw BundleError.unknown("subscription", id)
        }
        return key
    }

    /// Finds the subscription of a transaction. Most have its id; otherwise the facts of all events are read.
    private func key(ofTransaction id: String, _ request: BundleRequest, _ size: Position) throws -> SubscriptionKey {
        func isMatch(_ keyed: KeyedObservation) -> SubscriptionKey? {
            guard case .subscription(let key) = keyed.key, case .transaction(let fact) = keyed.observation.fact,
                fact.transactionId.text == id, request.environment.map({ $0 == key.environment }) ?? true,
                request.bundleId.map({ $0 == key.bundleId }) ?? true
            else { return nil }
            return key
        }
        if let key = try? key(of: id, request, size),
            try facts.timelines(around: key, knownAt: size)[key]?.transactions
                .contains(where: { $0.value.transactionId.text == id }) == true
        {
            return key
        }
        var (position, found) = (Position(0), SubscriptionKey?.none)
        while position < size, found == nil {
            try WorkLimit.check()
            position = try log.forEach(from: position, below: size, limit: 1_024) { record, evidence in
                guard found == nil else { return }
                found = try EventDecoder.facts(record, evidence)?.observations.lazy.compactMap(isMatch).first
            }
        }
        guard let found else { throw BundleError.unknown("transaction", id) }
        return found
    }
}

extension BundleError {
    static var positions: BundleError {
        BundleError(
            .tooLarge, "the bundle has too many events", expected: "at most \(LedgerReader.bundlePositionsMax)",
            found: "more", hint: "Use --sample with a cell, or ask for one subscription.")
    }
}

extension [CohortMemberRow] {
    /// Returns the least members under a root, ordered by key.
    func sampled(_ count: Int?, under root: Digest) -> [CohortMemberRow] {
        guard let count, count < self.count else { return self }
        return map { ($0.id.samplingOrder(under: root), $0) }.sorted { $0.0 < $1.0 }.prefix(count).map(\.1)
            .sorted { $0.id < $1.id }
    }
}
