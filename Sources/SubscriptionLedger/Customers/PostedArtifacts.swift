import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerModel
import Primitives

/// The result of verifying a posting.
struct PostedArtifacts: Sendable {
    /// The accepted and refused artifacts in the order posted: transactions, the app transaction, the receipt.
    private(set) var checked: [CheckedArtifact] = []
    /// The accepted transactions of `checked`, in the same order.
    private(set) var transactions: [PostedTransaction] = []
    /// The downloads of apps that the accepted app transaction and the receipt state.
    private(set) var downloads: Set<AppAccountKey> = []
    private(set) var refused: [RefusedRow] = []

    var isEverythingRefused: Bool {
        !checked.contains { artifact in
            if case .accepted = artifact { true } else { false }
        }
    }

    mutating func add(_ event: PreparedEvent, of transactions: [PostedTransaction], _ download: AppAccountKey?) {
        checked.append(.accepted(event))
        self.transactions += transactions
        if let download { downloads.insert(download) }
    }

    mutating func refuse(_ refusal: Refusal, _ artifact: [UInt8], index: Int? = nil, part: String? = nil) {
        checked.append(.refused(refusal, artifact: artifact))
        refused.append(RefusedRow(refusal, index: index, part: part))
    }

    /// - Parameter advice: what the app can do about it.
    mutating func refuseReceipt(_ refusal: Refusal, _ receipt: CheckedArtifact, advice: String) {
        checked.append(receipt)
        var row = RefusedRow(refusal, index: nil, part: TransactionPosting.receiptPart)
        row.advice = advice
        refused.append(row)
    }
}

/// An accepted transaction, reduced to the parts that decide its owner.
struct PostedTransaction: Sendable {
    /// The index among the signed transactions; nil for one in a receipt.
    let index: Int?
    /// The index among the checked artifacts.
    let place: Int
    let name: TransactionName
    let key: SubscriptionKey
    let observations: [Observation]
    let isFamilyShared: Bool

    /// The tokens of the purchase; empty for a family member's copy, which carries the purchaser's token.
    var tokens: Set<AppAccountToken> {
        guard !isFamilyShared else { return [] }
        return Set(observations.compactMap(\.fact.appAccountToken))
    }

    /// The Apple accounts in the transaction.
    var accounts: Set<AppAccountKey> {
        Set(
            observations.compactMap(\.fact.appTransactionId).map {
                AppAccountKey(environment: key.environment, bundle: key.bundle, account: .appTransaction($0))
            })
    }
}

extension LedgerWriter {
    /// Verifies the artifacts of a posting in sequence, so that one posting does not occupy every core.
    func check(_ posting: TransactionPosting, by caller: Caller, source: EventSource) async -> PostedArtifacts {
        let limits = caller.limits
        var posted = PostedArtifacts()
        for (index, text) in posting.signedTransactions.enumerated() {
            let jws = Array(text.utf8)
            switch await checkTransaction(jws, index: index, place: posted.checked.count, limits, source) {
            case .success(let (event, transaction)): posted.add(event, of: [transaction], nil)
            case .failure(let refusal): posted.refuse(refusal, jws, index: index)
            }
        }
        if let text = posting.signedAppTransaction {
            let jws = Array(text.utf8)
            switch await checkAppTransaction(jws, limits, source) {
            case .success(let (event, download)): posted.add(event, of: [], download)
            case .failure(let refusal): posted.refuse(refusal, jws, part: "signedAppTransaction")
            }
        }
        if let text = posting.receipt {
            let receipt = Array(text.utf8)
            switch await checkReceipt(receipt, posting, place: posted.checked.count, limits, source) {
            case .success(let (event, (transactions, download))): posted.add(event, of: transactions, download)
            case .failure(let refusal): add(receipt, refusal, to: &posted, posting, caller, source)
            }
        }
        return posted
    }

    /// Adds a receipt that is not verified. Apple is asked about one of iOS 6, unless the public key of an app posts it:
    /// anybody can write such a receipt.
    private func add(
        _ receipt: [UInt8], _ refusal: Refusal, to posted: inout PostedArtifacts, _ posting: TransactionPosting,
        _ caller: Caller, _ source: EventSource
    ) {
        guard caller.role != .app, let token = transactionReceipt(receipt, refusal, source: source),
            caller.limits.allow(bundleId: token.key.bundleId), caller.limits.allow(token.key.environment)
        else {
            let advice = receiptRefusals.advice(to: posting, at: configuration.clock())
            return posted.refuseReceipt(refusal, .refused(refusal, artifact: receipt), advice: advice)
        }
        if token.isVerified {
            posted.add(token.event, of: [PostedTransaction(token, index: nil, place: posted.checked.count)], nil)
        } else {
            posted.refuseReceipt(refusal, .token(token.event, refusal), advice: Advice.postAgain)
        }
    }

    private func checkTransaction(
        _ jws: [UInt8], index: Int, place: Int, _ limits: KeyLimits, _ source: EventSource
    ) async -> Result<(PreparedEvent, PostedTransaction), Refusal> {
        // The kind is detected from the claims, so that another artifact is not read as an empty transaction.
        await prepare(jws, source: source) { (artifact, facts) throws(Refusal) in
            guard case .transaction = artifact else {
                throw Refusal(
                    .kindUnknown, "not a transaction", expected: ArtifactKind.transaction.rawValue,
                    found: artifact.kind.rawValue)
            }
            guard let transaction = try PostedTransaction(artifact, facts, index: index, place: place) else {
                throw .unnamedTransaction
            }
            try limits.require(transaction.key.bundleId, transaction.key.environment)
            return transaction
        }
    }

    private func checkReceipt(
        _ receipt: [UInt8], _ posting: TransactionPosting, place: Int, _ limits: KeyLimits, _ source: EventSource
    ) async -> Result<(PreparedEvent, (transactions: [PostedTransaction], download: AppAccountKey?)), Refusal> {
        await prepare(
            receipt, as: .receipt, source: source, device: ReceiptDevice(guid: posting.deviceGUID)
        ) { (artifact, facts) throws(Refusal) in
            guard case .receipt(let verified) = artifact else { return ([], nil) }
            let content = verified.receipt.payload
            if let bundleId = content.bundleId, let environment = content.environment {
                try limits.require(bundleId, environment)
            }
            return (
                try PostedTransaction.all(in: facts, index: nil, place: place), try AppAccountKey(statedIn: facts)
            )
        }
    }

    private func checkAppTransaction(
        _ jws: [UInt8], _ limits: KeyLimits, _ source: EventSource
    ) async -> Result<(PreparedEvent, AppAccountKey?), Refusal> {
        await prepare(jws, as: .appTransaction, source: source) { (_, facts) throws(Refusal) in
            let account = try AppAccountKey(statedIn: facts)
            if let account { try limits.require(account.bundleId, account.environment) }
            return account
        }
    }

    /// Nothing but an operator's word links what Apple did not sign.
    private func checkLinkable(
        _ content: FoundArtifact.Content, _ kind: UnsignedText, at index: Int, source: EventSource,
        with ingestion: Ingestion
    ) async -> (CheckedArtifact, [PostedTransaction]) {
        let prepared = await prepare(content.artifact, kind, source: source, with: ingestion).flatMap { event, facts in
            Result { () throws(Refusal) in
                (event, try PostedTransaction.all(in: facts, index: index, place: index))
            }
        }
        return switch prepared {
        case .success(let (event, transactions)): (.accepted(event), transactions)
        case .failure(let refusal): (.refused(refusal, artifact: content.withoutPassword), [])
        }
    }

    /// Verifies one of several artifacts of any kind.
    /// - Parameter index: the index of the artifact.
    /// - Returns: the checked artifact, and the transactions in it that can be linked.
    func checkLinkable(
        _ content: FoundArtifact.Content, at index: Int, source: EventSource, with ingestion: Ingestion
    ) async -> (CheckedArtifact, [PostedTransaction]) {
        if let unsigned = content.unsigned {
            return await checkLinkable(content, unsigned, at: index, source: source, with: ingestion)
        }
        let prepared = await prepare(content.artifact, as: content.kind, source: source, with: ingestion) {
            (artifact, facts) throws(Refusal) in
            if case .receipt = artifact { return try PostedTransaction.all(in: facts, index: index, place: index) }
            return try PostedTransaction(artifact, facts, index: index, place: index).map { [$0] } ?? []
        }
        return switch prepared {
        case .success(let (event, transactions)): (.accepted(event), transactions)
        case .failure(let refusal):
            if let token = transactionReceipt(content.artifact, refusal, source: source, with: ingestion),
                token.isVerified
            {
                (.accepted(token.event), [PostedTransaction(token, index: index, place: index)])
            } else {
                (refused(refusal, content.artifact, source: source, with: ingestion), [])
            }
        }
    }
}

extension AppAccountKey {
    /// Creates the download that facts state; nil when they state none.
    /// - Throws: `claim_missing` for ids too long for an event.
    fileprivate init?(statedIn facts: EventFacts) throws(Refusal) {
        var stated: AppAccountKey?
        for observation in facts.observations {
            if case .appAccount(let key) = observation.key { stated = key }
        }
        guard let stated else { return nil }
        guard CustomerEvents.canName(stated) else {
            throw Refusal(
                .claimMissing, "the ids of the download are too long",
                expected: "at most \(CustomerEvents.keyByteLimit) bytes", found: "more")
        }
        self = stated
    }
}

extension KeyLimits {
    fileprivate func require(_ bundleId: String, _ environment: Environment) throws(Refusal) {
        guard allow(bundleId: bundleId) else {
            throw Refusal(
                .bundleMismatch, "the API key is limited to other apps",
                expected: bundleIds.sorted().joined(separator: ", "), found: bundleId)
        }
        guard allow(environment) else {
            throw Refusal(
                .environmentMismatch, "the API key is limited to other environments",
                expected: environments.map(\.rawValue).sorted().joined(separator: ", "), found: environment.rawValue)
        }
    }
}

extension Refusal {
    fileprivate static let unnamedTransaction = Refusal(
        .claimMissing, "the transaction has missing claims",
        expected: "transactionId, originalTransactionId, bundleId, environment and signedDate",
        found: "some of them")
}

extension PostedTransaction {
    /// Creates the transaction that a verified receipt of iOS 6 states.
    fileprivate init(_ receipt: CheckedTransactionReceipt, index: Int?, place: Int) {
        self.init(
            index: index, place: place,
            name: TransactionName(
                transactionId: receipt.transactionId, originalTransactionId: receipt.key.originalTransactionId),
            key: receipt.key, observations: [], isFamilyShared: false)
    }

    /// Creates the transaction that an artifact is, or that a notification contains; nil when there is none to link.
    /// - Throws: `claim_missing` for a transaction without its ids, or with ids too long for an event.
    fileprivate init?(
        _ artifact: SignedArtifact, _ facts: EventFacts, index: Int, place: Int
    ) throws(Refusal) {
        switch artifact {
        case .transaction(let signed):
            self = try Self.make(signed.payload.payload, facts, index: index, place: place).get()
        case .notification(let notification):
            // A notification is appended even when its transaction cannot be linked.
            guard let signed = notification.transaction,
                case .success(let made) = Self.make(signed.payload.payload, facts, index: index, place: place)
            else { return nil }
            self = made
        case .renewalInfo, .appTransaction, .receipt: return nil
        }
    }

    /// Returns the transactions that the facts of a receipt state. A receipt does not say who shares a purchase.
    /// - Throws: `claim_missing` for ids too long for an event.
    fileprivate static func all(
        in facts: EventFacts, index: Int?, place: Int
    ) throws(Refusal) -> [PostedTransaction] {
        var transactions: [PostedTransaction] = []
        for keyed in facts.observations {
            guard case .subscription(let key) = keyed.key, case .transaction(let fact) = keyed.observation.fact else {
                continue
            }
            try checkLength(of: key)
            transactions.append(
                PostedTransaction(
                    index: index, place: place,
                    name: TransactionName(
                        transactionId: fact.transactionId.text, originalTransactionId: key.originalTransactionId),
                    key: key, observations: [keyed.observation],
                    isFamilyShared: fact.inAppOwnershipType == .familyShared))
        }
        return transactions
    }

    private static func checkLength(of key: SubscriptionKey) throws(Refusal) {
        let count = [key.environment.rawValue, key.bundleId, key.originalTransactionId].reduce(0) { $0 + $1.utf8.count }
        guard count <= CustomerEvents.keyByteLimit else {
            throw Refusal(
                .claimMissing, "the ids of the transaction are too long",
                expected: "at most \(CustomerEvents.keyByteLimit) bytes", found: "\(count)")
        }
    }

    private static func make(
        _ transaction: Transaction, _ facts: EventFacts, index: Int, place: Int
    ) -> Result<PostedTransaction, Refusal> {
        let keys = facts.observations.compactMap { observation -> SubscriptionKey? in
            if case .subscription(let key) = observation.key { key } else { nil }
        }
        guard let key = keys.first, let id = transaction.transactionId else { return .failure(.unnamedTransaction) }
        do throws(Refusal) {
            try checkLength(of: key)
        } catch {
            return .failure(error)
        }
        return .success(
            PostedTransaction(
                index: index, place: place,
                name: TransactionName(transactionId: id, originalTransactionId: key.originalTransactionId), key: key,
                observations: facts.observations.filter { $0.key == .subscription(key) }.map(\.observation),
                isFamilyShared: transaction.inAppOwnershipType == .familyShared))
    }
}
