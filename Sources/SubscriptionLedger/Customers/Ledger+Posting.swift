import AppStoreVerification
package import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime

extension Ledger {
    /// Verifies and appends what was posted, and links it to the customer it was posted for.
    ///
    /// Everything accepted and its links commit together; the answer comes after. With neither `customerId` nor
    /// `handle` there is a new anonymous customer, whose handle is in the answer.
    /// - Throws: `CustomerError`: `customer_id_invalid`, `handle_unknown`, `customer_conflict`; `EventLogError`,
    ///   retryable ones leave everything as it was.
    package func post(
        _ posting: TransactionPosting, by role: PostingRole, source: EventSource = .http
    ) async throws -> PostingOutcome {
        let name = try posting.customerId.map { try CustomerName($0) }
        let handle = try posting.handle.map { try self.handle(from: $0) }
        let posted = try await verifications.turn { await check(posting, source: source) }
        guard !posted.isEverythingRefused else {
            _ = try await append(posted.checked, source: source)
            return PostingOutcome(
                finish: [], duplicates: [], refused: posted.refused, customer: .null, isEverythingRefused: true)
        }
        let poster = try await poster(name, handle, role)
        return try await deciding(posted.transactions) {
            let (outcomes, refused) = try await appendLinked(
                posted.checked, posted.transactions, to: poster, source)
            return PostingOutcome(
                finish: posted.transactions.map(\.name),
                duplicates: posted.transactions.filter { !outcomes[$0.place].isAppended }.map(\.name),
                refused: posted.refused + refused,
                customer: try answer(to: posting, name, poster), isEverythingRefused: false)
        }
    }

    /// Appends artifacts, and links the transactions among them to a customer, on the word of who runs the ledger.
    /// - Returns: an outcome for each artifact, and the transactions that were accepted and are not the customer's.
    func append(
        _ checked: [CheckedArtifact], linking transactions: [PostedTransaction], to name: CustomerName,
        source: EventSource
    ) async throws -> (outcomes: [IngestOutcome], refused: [PostingOutcome.Refused]) {
        guard !transactions.isEmpty else { return (try await append(checked, source: source), []) }
        let poster = try await poster(name, nil, .backend)
        return try await deciding(transactions) {
            try await appendLinked(checked, transactions, to: poster, source)
        }
    }

    /// Whose a key is, is read, decided and written in one step: postings of the same key or token wait for each other,
    /// and no other process writes.
    private func deciding<Result>(
        _ transactions: [PostedTransaction], _ body: () async throws -> Result
    ) async throws -> Result {
        let contested: [AnyHashable] = transactions.map(\.key) + transactions.compactMap(\.token)
        return try await postings.withLock(on: contested, body)
    }

    private func appendLinked(
        _ checked: [CheckedArtifact], _ transactions: [PostedTransaction], to poster: Poster, _ source: EventSource
    ) async throws -> (outcomes: [IngestOutcome], refused: [PostingOutcome.Refused]) {
        let links = try await decide(transactions, poster, source)
        let events = links.events.map { CheckedArtifact.accepted(log.prepare($0)) }
        let outcomes = try await append(checked + events, source: source)
        return (Array(outcomes.prefix(checked.count)), links.refused)
    }

    private func answer(to posting: TransactionPosting, _ name: CustomerName?, _ poster: Poster) throws -> JSONValue {
        guard let name else {
            let handle = posting.handle ?? poster.customer.hex
            return try answer([.init("id", .null), .init("handle", .string(handle))], poster.customer, token: nil)
        }
        return try answer([.init("id", JSONValue(posting.customerId))], poster.customer, token: name.token)
    }

    /// - Throws: `handle_unknown`.
    func handle(from text: String) throws -> CustomerHandle {
        guard let handle = CustomerHandle(hex: text), try vault?.isAnonymous(handle) != nil else {
            throw CustomerError.handleUnknown
        }
        return handle
    }

    /// Whom it is posted for; somebody new when nobody is named.
    private func poster(
        _ name: CustomerName?, _ handle: CustomerHandle?, _ role: PostingRole
    ) async throws -> Poster {
        guard let vault else { preconditionFailure("a ledger opened for reading takes no postings") }
        var lookup = try CustomerLookup(in: self)
        let size = lookup.size
        let claimed: CustomerHandle
        switch (name, handle) {
        case (let name?, nil): claimed = try await vault.meet(name, logSize: size)
        case (nil, let handle?): claimed = handle
        case (nil, nil): claimed = try await vault.meetAnonymous(logSize: size)
        case (let name?, let handle?):
            claimed = try await vault.meet(name, logSize: size)
            guard try lookup.customer(of: claimed) == lookup.customer(of: handle) else {
                throw CustomerError(
                    .customerConflict, "id and handle name two customers", expected: "one of them, or one customer",
                    found: "two", hint: "Identify the handle first.")
            }
        }
        let customer = try lookup.customer(of: claimed)
        return Poster(customer: customer, isAnonymous: try vault.isAnonymous(customer) ?? false, role: role)
    }

    private struct Links {
        var events: [EventDraft] = []
        var refused: [PostingOutcome.Refused] = []
    }

    /// Decides key by key, and files the tokens that become the poster's, since links rest on them.
    private func decide(
        _ transactions: [PostedTransaction], _ poster: Poster, _ source: EventSource
    ) async throws -> Links {
        var lookup = try CustomerLookup(in: self)
        var links = Links()
        let byKey = Dictionary(grouping: transactions, by: \.key)
        for key in byKey.keys.sorted() {
            let transactions = byKey[key] ?? []
            let contested = try contestedKey(key, transactions, &lookup)
            let decision = LinkDecision(
                transactions, on: contested, by: poster, rule: configuration.rules.customers.claimConflict)
            for token in decision.newTokens {
                try await vault?.add(CustomerName(token), to: poster.customer, logSize: lookup.size)
            }
            links.events += decision.events(on: contested, by: poster, source)
            links.refused += decision.objections.map { $0.objection.refused(index: $0.transaction.index) }
        }
        links.refused.sort { $0.index ?? 0 < $1.index ?? 0 }
        return links
    }

    private func contestedKey(
        _ key: SubscriptionKey, _ transactions: [PostedTransaction], _ lookup: inout CustomerLookup
    ) throws -> ContestedKey {
        var surroundings = Surroundings(in: derived, knownAt: lookup.size)
        try surroundings.add([key])
        let timeline = Timeline(transactions.flatMap(\.observations))
            .union(surroundings.timelines[key] ?? Timeline())
        let claims = surroundings.claims(to: key)
        try lookup.meet(claims: claims, tokens: timeline.tokensThatClaim.steps.map(\.value))
        return ContestedKey(key: key, timeline: timeline, claims: claims, roster: lookup.roster)
    }
}

extension LinkDecision {
    fileprivate func events(on contested: ContestedKey, by poster: Poster, _ source: EventSource) -> [EventDraft] {
        // The writer knows the position.
        let claim = Claim(key: contested.key, customer: poster.customer, by: poster.authority, position: 0)
        switch verdict {
        case .stands: return []
        case .links:
            let isRepeated = contested.claims.contains { $0.customer == poster.customer }
            return [
                CustomerEvents.linked(claim, after: isRepeated ? contested.newestClaim : nil, source: source)
            ]
        case .refused:
            return [
                CustomerEvents.refused(
                    claim, code: objections.first?.objection.code ?? "linkRefused", after: contested.newestClaim,
                    source: source)
            ]
        }
    }
}

extension IngestOutcome {
    fileprivate var isAppended: Bool {
        guard case .appended(let appended) = self else { return false }
        return appended.isAppended
    }
}
