import AppStoreVerification
import EventLog
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives
import SubscriptionStatus

extension LedgerWriter {
    /// Verifies and appends a posting, and links its transactions to the customer it names.
    ///
    /// All accepted artifacts and their links are committed in one transaction before the answer. Without `customerId`
    /// and `handle`, the customer is the anonymous one of the same Apple account, else a new one, and the answer
    /// contains its handle. A posting of nothing stores nothing, and its answer is the customer.
    /// - Parameter scope: the part of the customer in the answer. An app receives only keys that it posted and the
    ///   customer owns.
    /// - Throws: `CustomerError`: `role_forbidden`, `customer_id_invalid`, `handle_unknown`, `customer_conflict`;
    ///   `StorageError`; a retryable one changes nothing.
    package func post(
        _ posting: TransactionPosting, by caller: Caller, scope: CustomerScope = CustomerScope(),
        source: EventSource = .http
    ) async throws -> PostingAnswer<SubscriptionRow> {
        guard caller.role != .app || posting.customerId == nil || posting.isVouchedFor else {
            throw CustomerError.appNamesCustomer
        }
        let name = try posting.customerId.map { try ExternalCustomerID($0) }
        let handle = try posting.handle.map { try self.handle(from: $0) }
        guard !posting.isEmpty else {
            let submitter = try knownSubmitter(name, handle, caller)
            return PostingAnswer(
                finish: [], duplicates: [], refused: [],
                customer: try answer(to: posting, for: submitter, scope, about: PostedArtifacts(), refused: []))
        }
        let posted = try await verifications.run {
            await check(posting, by: caller, source: source)
        }
        guard !posted.isEverythingRefused else {
            _ = try await append(posted.checked, source: source)
            return PostingAnswer(finish: [], duplicates: [], refused: posted.refused, customer: nil)
        }
        let accounts = posted.transactions.reduce(into: posted.downloads) {
            $0.formUnion($1.accounts)
        }
        return try await deciding(posted.transactions, accounts) {
            let submitter = try await submitter(name, handle, accounts, caller, source)
            let linked = try await appendLinked(
                posted.checked, posted.transactions, accounts, posted.downloads, for: submitter, source)
            let customer = try answer(
                to: posting, for: linked.submitter, scope, about: posted, refused: linked.refused)
            return PostingAnswer(
                finish: posted.transactions.map(\.name),
                duplicates: posted.transactions.filter { !linked.outcomes[$0.place].isAppended }.map(\.name),
                refused: posted.refused + linked.refused, customer: customer)
        }
    }

    /// Appends artifacts, and links the transactions among them to a customer with an administrator's authority.
    /// - Returns: one outcome per artifact, and the accepted transactions that belong to another customer.
    func append(
        _ checked: [CheckedArtifact], linking transactions: [PostedTransaction], to name: ExternalCustomerID,
        source: EventSource
    ) async throws -> (outcomes: [IngestOutcome], refused: [RefusedRow]) {
        guard !transactions.isEmpty else { return (try await append(checked, source: source), []) }
        return try await deciding(transactions, []) {
            let submitter = try await submitter(name, nil, [], .admin, source)
            let linked = try await appendLinked(checked, transactions, [], [], for: submitter, source)
            return (linked.outcomes, linked.refused)
        }
    }

    /// Serialises `body` with postings of the same key, token or Apple account, so that reading, deciding and writing
    /// are one atomic step. No other process writes.
    private func deciding<Result>(
        _ transactions: [PostedTransaction], _ accounts: Set<AppAccountKey>, _ body: () async throws -> Result
    ) async throws -> Result {
        let tokens = transactions.reduce(into: Set<AppAccountToken>()) { $0.formUnion($1.tokens) }
        let contested: [AnyHashable] = transactions.map(\.key) + Array(tokens) + Array(accounts)
        return try await postings.withLock(on: contested, body)
    }

    private func answer(
        to posting: TransactionPosting, for submitter: Submitter, _ scope: CustomerScope,
        about posted: PostedArtifacts, refused: [RefusedRow]
    ) throws -> CustomerAnswer<SubscriptionRow> {
        let isNamed = submitter.name != nil || submitter.isProvisional
        let handle = isNamed ? nil : posting.handle ?? submitter.customer.hex
        let (size, asOf, state) = try reader.currentState(of: submitter, scope)
        guard submitter.caller.role == .app else {
            return try reader.naming(state.answer(id: posting.customerId, handle: handle, asOf: asOf, knownAt: size))
        }
        let transactions = posted.transactions
        var answer = state.limited(
            to: Set(transactions.map(\.key)), downloads: posted.downloads
        )
        .answer(id: posting.customerId, handle: handle, asOf: asOf, knownAt: size)
        answer.advise(refused, about: transactions)
        return answer
    }

    /// - Throws: `handle_unknown`.
    func handle(from text: String) throws -> CustomerHandle {
        guard let handle = CustomerHandle(hex: text), try vault.reader.isAnonymous(handle) != nil else {
            throw CustomerError.handleUnknown
        }
        return handle
    }

    /// Returns the customer named in a posting, and creates it if it does not exist.
    ///
    /// An unknown customer named by an app is provisional: the vault stores it with the first link.
    func submitter(
        _ name: ExternalCustomerID?, _ handle: CustomerHandle?, _ accounts: Set<AppAccountKey>, _ caller: Caller,
        _ source: EventSource
    ) async throws -> Submitter {
        var lookup = try CustomerLookup(in: reader)
        let size = lookup.size
        var named = try name.flatMap { try lookup.customer(of: $0) }
        // Also for a known id: an earlier version stored only its HMAC.
        if let name, named != nil || caller.role != .app {
            let stored = try await findOrCreateCustomer(name, caller, source)
            named = try lookup.customer(of: stored)
        }
        if let handle {
            let customer = try lookup.customer(of: handle)
            guard name == nil || named == customer else { throw CustomerError.differentCustomers }
            named = customer
        } else if name == nil {
            let known = try anonymousOwners(of: accounts, &lookup).first
            let handle =
                if let known { known } else { try await vault.createAnonymousCustomer(logSize: size) }
            return Submitter(customer: handle, name: nil, isAnonymous: true, isProvisional: false, caller: caller)
        }
        guard let named else {
            return Submitter(
                customer: .random(), name: name, isAnonymous: false, isProvisional: true, caller: caller)
        }
        return Submitter(
            customer: named, name: name, isAnonymous: try vault.reader.isAnonymous(named) ?? false,
            isProvisional: false,
            caller: caller)
    }

    /// Returns the customer named in a posting without creating it.
    private func knownSubmitter(
        _ name: ExternalCustomerID?, _ handle: CustomerHandle?, _ caller: Caller
    ) throws -> Submitter {
        var lookup = try CustomerLookup(in: reader)
        let named = try name.flatMap { try lookup.customer(of: $0) }
        let held = try handle.map { try lookup.customer(of: $0) }
        guard name == nil || held == nil || named == held else { throw CustomerError.differentCustomers }
        let customer = held ?? named
        return Submitter(
            customer: customer ?? .random(), name: name,
            isAnonymous: try customer.flatMap { try vault.reader.isAnonymous($0) } ?? false,
            isProvisional: customer == nil, caller: caller)
    }

    /// Returns the customer of an id, and creates it if it does not exist. The log also records the customer of a
    /// token, because purchases with that token then belong to a customer that may have other ids.
    func findOrCreateCustomer(
        _ name: ExternalCustomerID, _ caller: Caller, _ source: EventSource
    ) async throws -> CustomerHandle {
        let size = try reader.knownSize(nil)
        let customer = try await vault.findOrCreateCustomer(name, logSize: size)
        if let token = name.token, try !isMapped(token) {
            let mapping = TokenMapping(token: token, customer: customer, position: 0)
            let origin = EventOrigin(source: source, keyName: caller.keyName)
            _ = try await append([prepared(mapping, origin)])
        }
        return customer
    }

    /// Whether the log has the customer of a token.
    private func isMapped(_ token: AppAccountToken) throws -> Bool {
        var lookup = try CustomerLookup(in: reader)
        _ = try lookup.owner(of: token)
        return lookup.mappedTokens.contains(token)
    }

    /// Prepares the mapping of a token that the log maps to no customer. It may have been mapped to an erased one.
    func prepared(_ mapping: TokenMapping, _ origin: EventOrigin) throws -> PreparedEvent {
        let again =
            try reader.facts.positions(under: .erasures).isEmpty
            ? nil : log.prepare(CustomerEvents.mapped(mapping, afterErasure: true, origin))
        return log.prepare(CustomerEvents.mapped(mapping, origin), ifRepeated: again)
    }
}

extension CustomerAnswer<SubscriptionRow> {
    /// Gives conflicts remedies for the user of an app, who cannot settle them like an operator.
    /// - Parameter refused: the refusals of the posting; each replaces the reason and the remedy of its conflict.
    fileprivate mutating func advise(_ refused: [RefusedRow], about transactions: [PostedTransaction]) {
        let ids = Dictionary(transactions.map { ($0.index, SubscriptionID($0.key)) }) { first, _ in first }
        let refusals = Dictionary(
            refused.compactMap { row in row.index.flatMap { ids[$0] }.map { ($0, row) } }
        ) { first, _ in first }
        let owned = Set(subscriptions.map(\.id) + purchases.map(\.id))
        for index in conflicts.indices {
            let id = conflicts[index].id
            if let refusal = refusals[id] {
                conflicts[index].because = refusal.reason
                conflicts[index].remedy = refusal.advice
            } else {
                conflicts[index].remedy = owned.contains(id) ? Advice.keep : Advice.signIn
            }
        }
    }
}

extension CustomerError {
    fileprivate static let differentCustomers = CustomerError(
        .customerConflict, "the id and the handle belong to different customers",
        expected: "an id and a handle of the same customer", found: "two customers",
        hint: "Identify the handle with POST /v1/customers/{id}/identify first.")
}

extension IngestOutcome {
    fileprivate var isAppended: Bool {
        guard case .appended(let appended) = self else { return false }
        return appended.isAppended
    }
}
