import EventLog
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives
import SubscriptionStatus

/// The decisions about the keys of one posting.
struct LinkPlan {
    var merges: [Merge] = []
    var links: [EventDraft] = []
    var refusals: [EventDraft] = []
    var refused: [RefusedRow] = []
    /// The tokens that the posting maps to the submitter; the log contains no mapping of them.
    var newTokens: Set<AppAccountToken> = []
    /// Whether the submitter owns a key, owned it earlier, or is linked to it.
    var isOwner = false
}

extension LedgerWriter {
    /// Appends artifacts together with the links of their transactions.
    /// - Returns: the outcomes, the refusals, and the submitter, which is stored in the vault if it owns a key.
    func appendLinked(
        _ checked: [CheckedArtifact], _ transactions: [PostedTransaction], _ accounts: Set<AppAccountKey>,
        _ downloads: Set<AppAccountKey>, for submitter: Submitter, _ source: EventSource
    ) async throws -> (outcomes: [IngestOutcome], refused: [RefusedRow], submitter: Submitter) {
        var submitter = submitter
        var plan = try plan(transactions, accounts, downloads, submitter, source)
        if submitter.isProvisional {
            guard plan.isOwner, let name = submitter.name else {
                return (try await append(checked, source: source), plan.refused, submitter)
            }
            let handle = try await findOrCreateCustomer(name, submitter.caller, source)
            submitter = try await self.submitter(name, handle, accounts, submitter.caller, source)
            plan = try self.plan(transactions, accounts, downloads, submitter, source)
        }
        guard !plan.merges.isEmpty else {
            return (try await commit(plan, checked, for: submitter, source), plan.refused, submitter)
        }
        // One merge at a time, so that no customer is merged into two others.
        return try await merges.withLock(on: [Self.mergeLock]) { [submitter] in
            let plan = try self.plan(transactions, accounts, downloads, submitter, source)
            return (try await commit(plan, checked, for: submitter, source), plan.refused, submitter)
        }
    }

    static let mergeLock = "merge"

    private func commit(
        _ plan: LinkPlan, _ checked: [CheckedArtifact], for submitter: Submitter, _ source: EventSource
    ) async throws -> [IngestOutcome] {
        // Tokens are stored in the vault before the links that depend on them.
        let mappings = try await add(plan.newTokens, to: submitter.customer)
        let origin = EventOrigin(source: source, keyName: submitter.caller.keyName)
        var lookup = try CustomerLookup(in: reader)
        let merges = try plan.merges.map { merge in
            _ = try lookup.customer(of: merge.customer)
            return CustomerEvents.merged(
                merge, by: merge.by.name, after: lookup.directory.newestUnmerge(of: merge.customer), origin)
        }
        let events =
            merges.map { log.prepare($0) } + (try mappings.map { try prepared($0, origin) })
            + (plan.links + plan.refusals).map { log.prepare($0) }
        let accepted = events.map { CheckedArtifact.accepted($0) }
        return Array(try await append(checked + accepted, source: source).prefix(checked.count))
    }

    /// Adds tokens to the ids of a customer in the vault.
    /// - Returns: the mappings for the log, which records the customer from the vault.
    func add(_ tokens: Set<AppAccountToken>, to customer: CustomerHandle) async throws -> [TokenMapping] {
        var mappings: [TokenMapping] = []
        for token in tokens.sorted(by: { $0.text < $1.text }) {
            let stored = try await vault.add(ExternalCustomerID(token), to: customer, logSize: reader.knownSize(nil))
            mappings.append(TokenMapping(token: token, customer: stored, position: 0))
        }
        return mappings
    }

    /// Returns the decisions about all keys of a posting.
    private func plan(
        _ transactions: [PostedTransaction], _ accounts: Set<AppAccountKey>, _ downloads: Set<AppAccountKey>,
        _ submitter: Submitter, _ source: EventSource
    ) throws -> LinkPlan {
        var lookup = try CustomerLookup(in: reader)
        var plan = LinkPlan()
        // A provisional customer named by a token owns that token already.
        if submitter.isProvisional, let token = submitter.name?.token { lookup.assume(submitter.customer, for: token) }
        let byKey = Dictionary(grouping: transactions, by: \.key)
        let known = try KnownKeys(byKey.keys, in: reader.facts, knownAt: lookup.size)
        try map(transactions.flatMap(\.tokens), to: submitter, &lookup, &plan)
        try map(transactions.tokensOfReceipts(in: known.timelines), to: submitter, &lookup, &plan)
        if submitter.isAnonymous {
            for owner in try anonymousOwners(of: accounts, &lookup) where owner != submitter.customer {
                let merge = Merge(customer: owner, into: submitter.customer, by: .anonymous, position: .max)
                lookup.assume(merge)
                plan.merges.append(merge)
            }
        }
        for key in byKey.keys.sorted() {
            try decide(known, key, byKey[key] ?? [], submitter, source, &lookup, &plan)
        }
        for download in downloads.sorted() { try claim(download, for: submitter, source, lookup, &plan) }
        plan.refused.sort { $0.index ?? 0 < $1.index ?? 0 }
        return plan
    }

    /// Claims a download of the app. The claim of another customer to it is no refusal: the rules decide when they
    /// are asked.
    private func claim(
        _ account: AppAccountKey, for submitter: Submitter, _ source: EventSource, _ lookup: CustomerLookup,
        _ plan: inout LinkPlan
    ) throws {
        var related = RelatedTimelines(in: reader.facts, knownAt: lookup.size)
        try related.add(account)
        plan.isOwner = true
        let claims = related.downloads.first { $0.account == account }?.claims ?? []
        guard !claims.contains(where: { $0.customer == submitter.customer && $0.by >= submitter.authority }) else {
            return
        }
        // The writer assigns the position.
        let claim = DownloadClaim(
            account: account, customer: submitter.customer, by: submitter.authority, position: 0)
        plan.links.append(
            CustomerEvents.linked(claim, EventOrigin(source: source, keyName: submitter.caller.keyName)))
    }

    /// Maps the tokens that may be mapped to the submitter.
    private func map(
        _ tokens: some Sequence<AppAccountToken>, to submitter: Submitter, _ lookup: inout CustomerLookup,
        _ plan: inout LinkPlan
    ) throws {
        guard submitter.mapsTokens else { return }
        for token in tokens where try mayMap(token, to: submitter.customer, &lookup) {
            lookup.assume(submitter.customer, for: token)
            plan.newTokens.insert(token)
        }
    }

    /// Whether a token has no customer, or has this customer in the vault but not in the log.
    private func mayMap(
        _ token: AppAccountToken, to customer: CustomerHandle, _ lookup: inout CustomerLookup
    ) throws -> Bool {
        switch try lookup.owner(of: token) {
        case .bearer: true
        case .customer(let owner): owner == customer && !lookup.mappedTokens.contains(token)
        }
    }

    private func decide(
        _ known: KnownKeys, _ key: SubscriptionKey, _ transactions: [PostedTransaction], _ submitter: Submitter,
        _ source: EventSource, _ lookup: inout CustomerLookup, _ plan: inout LinkPlan
    ) throws {
        let evidence = known.evidence(of: key, with: transactions.flatMap(\.observations))
        try lookup.load(evidence)
        let posted = Set(transactions.flatMap(\.observations).compactMap(\.fact.appTransactionId))
        let decision = LinkDecision(
            transactions, on: evidence, by: submitter, directory: lookup.directory,
            anonymous: try anonymousOwners(evidence, lookup),
            sharesAccount: known.timelines[key].map { !$0.appTransactionIds.isDisjoint(with: posted) } ?? false,
            rule: try claimRule(lookup))
        for merge in decision.merges {
            lookup.assume(merge)
            plan.merges.append(merge)
        }
        // The writer assigns the position.
        let claim = Claim(key: key, customer: submitter.customer, by: submitter.authority, position: 0)
        let origin = EventOrigin(source: source, keyName: submitter.caller.keyName)
        switch decision.verdict {
        case .stands: plan.isOwner = true
        case .past: plan.isOwner = true
        case .links:
            plan.isOwner = true
            let isRepeated = evidence.claims.contains { $0.customer == submitter.customer }
            plan.links.append(CustomerEvents.linked(claim, after: isRepeated ? evidence.newestDecision : nil, origin))
        case .refused:
            plan.refusals.append(
                CustomerEvents.refused(claim, remedy: Advice.transfer, after: evidence.newestDecision, origin))
            plan.refused += decision.refused.map { RefusedRow($0, submitter) }
        }
    }

    /// Returns the rule in force at the log size of a decision.
    private func claimRule(_ lookup: CustomerLookup) throws -> Rules.Customers.ClaimConflict {
        try reader.rules(knownAt: lookup.size).customers.claimConflict
    }

    private func anonymousOwners(
        _ evidence: OwnershipEvidence, _ lookup: CustomerLookup
    ) throws -> Set<CustomerHandle> {
        let ownership = Ownership(
            evidence, at: .latest, directory: lookup.directory, rule: try claimRule(lookup))
        var anonymous: Set<CustomerHandle> = []
        for case .customer(let owner) in ownership.owners where try vault.reader.isAnonymous(owner) == true {
            anonymous.insert(owner)
        }
        return anonymous
    }

    /// Returns the anonymous customers that own purchases or downloads of these Apple accounts, ordered by handle.
    func anonymousOwners(
        of accounts: Set<AppAccountKey>, _ lookup: inout CustomerLookup
    ) throws -> [CustomerHandle] {
        var owners: Set<CustomerHandle> = []
        for account in accounts {
            guard case .appTransaction(let id) = account.account else { continue }
            var related = RelatedTimelines(in: reader.facts, knownAt: lookup.size)
            try related.add(account)
            for download in related.downloads where download.account == account {
                for claim in download.claims { _ = try lookup.customer(of: claim.customer) }
                for owner in download.owners(lookup.directory, try claimRule(lookup))
                where try vault.reader.isAnonymous(owner) == true {
                    owners.insert(owner)
                }
            }
            for (key, timeline) in related.timelines where timeline.appTransactionIds.contains(id) {
                let evidence = related.ownershipEvidence(of: key, timeline)
                try lookup.load(evidence)
                owners.formUnion(try anonymousOwners(evidence, lookup))
            }
        }
        return owners.sorted { $0.value < $1.value }
    }
}

extension OwnershipEvidence {
    /// Whether the newest transfer went to this customer, and no claim was refused since then.
    fileprivate func isSettled(for customer: CustomerHandle) -> Bool {
        newestTransfer?.customer == customer && unsettledClaims.isEmpty
    }
}

extension RefusedRow {
    fileprivate init(_ transaction: PostedTransaction, _ submitter: Submitter) {
        let reason =
            transaction.tokens.isEmpty || submitter.mapsTokens
            ? "the purchase belongs to another customer"
            : "the appAccountToken of the purchase is not mapped to this customer"
        // An operator can transfer the purchase; the user of an app can only sign in.
        let advice: String =
            if submitter.caller.role != .app {
                Advice.transfer
            } else {
                transaction.tokens.isEmpty ? Advice.signIn : Advice.useTheToken
            }
        self.init(
            index: transaction.index, part: transaction.index == nil ? TransactionPosting.receiptPart : nil,
            code: CustomerError.Code.linkRefused.rawValue, reason: reason,
            advice: advice)
    }
}

extension LedgerWriter {
    /// Links one known subscription to a customer, on the authority of the caller.
    /// - Throws: `customer_id_invalid`, `subscription_unknown`, `parameter_invalid` when several match, `link_refused`
    ///   when another known customer owns it, after the refusal is appended; `StorageError`.
    package func link(
        _ selector: SubscriptionSelector, to externalId: String, by caller: Caller, scope: CustomerScope,
        source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let name = try ExternalCustomerID(externalId)
        let key = try onlyKey(of: selector)
        let submitter = try await link(key, to: name, by: caller, source: source)
        guard let submitter else { throw CustomerError.linkRefused }
        return try reader.answer(externalId, of: submitter, scope)
    }

    /// Links one subscription to a customer, on the authority of the caller.
    /// - Parameter tokens: the tokens that belong to the customer, unless the log has them for another one.
    /// - Returns: the customer; nil when another known customer owns the subscription, after the refusal is appended.
    func link(
        _ key: SubscriptionKey, to name: ExternalCustomerID, mapping tokens: Set<AppAccountToken> = [],
        by caller: Caller, source: EventSource
    ) async throws -> Submitter? {
        let contested: [AnyHashable] = [key] + Array(tokens)
        return try await postings.withLock(on: contested) {
            let submitter = try await submitter(name, nil, [], caller, source)
            return try await merges.withLock(on: [Self.mergeLock]) {
                var lookup = try CustomerLookup(in: reader)
                var plan = LinkPlan()
                try map(tokens, to: submitter, &lookup, &plan)
                let known = try KnownKeys([key], in: reader.facts, knownAt: lookup.size)
                try decide(known, key, [], submitter, source, &lookup, &plan)
                _ = try await commit(plan, [], for: submitter, source)
                return plan.refusals.isEmpty ? submitter : nil
            }
        }
    }

    /// Transfers one subscription to a customer. From the position of the event on, it outranks every claim and token.
    /// - Throws: `customer_id_invalid`, `subscription_unknown`, `parameter_invalid` when several match; `StorageError`.
    package func transfer(
        _ selector: SubscriptionSelector, to externalId: String, by caller: Caller, scope: CustomerScope,
        source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let name = try ExternalCustomerID(externalId)
        let key = try onlyKey(of: selector)
        return try await postings.withLock(on: [key]) {
            let submitter = try await submitter(name, nil, [], caller, source)
            let evidence = try KnownKeys([key], in: reader.facts, knownAt: try reader.knownSize(nil)).evidence(of: key)
            if !evidence.isSettled(for: submitter.customer) {
                let transfer = Transfer(key: key, customer: submitter.customer, position: 0)
                let origin = EventOrigin(source: source, keyName: caller.keyName)
                let draft = CustomerEvents.transferred(transfer, after: evidence.newestDecision, origin)
                _ = try await append(draft)
            }
            return try reader.answer(externalId, of: submitter, scope)
        }
    }

    private func onlyKey(of selector: SubscriptionSelector) throws -> SubscriptionKey {
        let keys = try reader.facts.keys(
            ofOriginalTransactionId: selector.originalTransactionId, environment: selector.environment,
            bundleId: selector.bundleId)
        guard let key = keys.first else { throw CustomerError.subscriptionUnknown }
        guard keys.count == 1 else { throw CustomerError.subscriptionAmbiguous }
        return key
    }
}
