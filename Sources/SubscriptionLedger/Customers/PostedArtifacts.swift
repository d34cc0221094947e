import AppStoreModel
import AppStoreTranslation
import AppStoreVerification
import EventLog
import LedgerAPI
import LedgerModel
import Primitives
import ProjectionRuntime

/// The result of verifying a posting.
struct PostedArtifacts: Sendable {
    /// Accepted or refused, in the order posted: transactions, then the app transaction.
    private(set) var checked: [CheckedArtifact] = []
    /// The accepted transactions of `checked`, in the same order.
    private(set) var transactions: [PostedTransaction] = []
    /// The Apple account of the accepted app transaction.
    private(set) var appAccount: AppAccountKey?
    private(set) var refused: [RefusedRow] = []

    var isEverythingRefused: Bool {
        !checked.contains { artifact in
            if case .accepted = artifact { true } else { false }
        }
    }

    mutating func add(_ transaction: PostedTransaction, _ event: PreparedEvent) {
        transactions.append(transaction)
        checked.append(.accepted(event))
    }

    mutating func add(_ event: PreparedEvent, of appAccount: AppAccountKey?) {
        checked.append(.accepted(event))
        self.appAccount = appAccount
    }

    mutating func refuse(_ refusal: Refusal, _ artifact: [UInt8], index: Int? = nil, part: String? = nil) {
        checked.append(.refused(refusal, artifact: artifact))
        refused.append(RefusedRow(refusal, index: index, part: part))
    }

    mutating func refuseReceipt() {
        let refusal = Refusal(
            .kindUnknown, "receipts are not supported", expected: "signedTransactions", found: "receipt")
        refused.append(RefusedRow(refusal, index: nil, part: "receipt"))
    }
}

/// An accepted transaction, reduced to the parts that decide its owner.
struct PostedTransaction: Sendable {
    let index: Int
    /// The index among the checked artifacts.
    let place: Int
    let name: TransactionName
    let key: SubscriptionKey
    let observations: [Observation]
    let isFamilyShared: Bool

    /// The tokens of the purchase; empty for a family member's copy, which carries the purchaser's token.
    var tokens: Set<AppAccountToken> {
        guard !isFamilyShared else { return [] }
        return Set(observations.compactMap { $0.fact.appAccountToken.flatMap(AppAccountToken.init) })
    }

    /// The Apple accounts in the transaction.
    var accounts: Set<AppAccountKey> {
        Set(
            observations.compactMap(\.fact.appTransactionId).map {
                AppAccountKey(environment: key.environment, bundleId: key.bundleId, account: .appTransaction($0))
            })
    }
}

extension Ledger {
    /// Verifies the artifacts of a posting in sequence, so that one posting does not occupy every core.
    func check(_ posting: TransactionPosting, limits: KeyLimits, source: EventSource) async -> PostedArtifacts {
        var posted = PostedArtifacts()
        for (index, text) in posting.signedTransactions.enumerated() {
            let jws = Array(text.utf8)
            switch await checkTransaction(jws, index: index, place: posted.checked.count, limits, source) {
            case .success(let (transaction, event)): posted.add(transaction, event)
            case .failure(let refusal): posted.refuse(refusal, jws, index: index)
            }
        }
        if let text = posting.signedAppTransaction {
            let jws = Array(text.utf8)
            switch await checkAppTransaction(jws, limits, source) {
            case .success(let (event, account)): posted.add(event, of: account)
            case .failure(let refusal): posted.refuse(refusal, jws, part: "signedAppTransaction")
            }
        }
        if posting.hasReceipt { posted.refuseReceipt() }
        return posted
    }

    private func checkTransaction(
        _ jws: [UInt8], index: Int, place: Int, _ limits: KeyLimits, _ source: EventSource
    ) async -> Result<(PostedTransaction, PreparedEvent), Refusal> {
        // The claims decide the kind: another artifact must not be read as an empty transaction.
        let verified = await verifier.verify(jws, now: configuration.clock())
        return verified.flatMap { artifact in
            guard case .transaction = artifact else {
                return .failure(
                    Refusal(
                        .kindUnknown, "not a transaction", expected: ArtifactKind.transaction.rawValue,
                        found: artifact.kind.rawValue))
            }
            return Result { () throws(Refusal) in
                guard let transaction = try PostedTransaction(in: artifact, index: index, place: place) else {
                    throw .unnamedTransaction
                }
                try limits.require(transaction.key.bundleId, transaction.key.environment)
                let draft = try Intake(trust: configuration.trust).draft(for: artifact, source: source).get()
                return (transaction, log.prepare(draft))
            }
        }
    }

    private func checkAppTransaction(
        _ jws: [UInt8], _ limits: KeyLimits, _ source: EventSource
    ) async -> Result<(PreparedEvent, AppAccountKey?), Refusal> {
        let verified = await verifier.verify(jws, as: .appTransaction, now: configuration.clock())
        return verified.flatMap { artifact in
            Result { () throws(Refusal) in
                var account: AppAccountKey?
                for filed in Derivation.facts(of: artifact, bundleId: nil).observations {
                    if case .appAccount(let key) = filed.key { account = key }
                }
                if let account { try limits.require(account.bundleId, account.environment) }
                let draft = try Intake(trust: configuration.trust).draft(for: artifact, source: source).get()
                return (log.prepare(draft), account)
            }
        }
    }

    /// Verifies one of several artifacts of any kind.
    /// - Parameter index: the index of the artifact.
    /// - Returns: also the transaction that the artifact holds; nil when there is none to link.
    func checkLinkable(
        _ content: FoundArtifact.Content, at index: Int, source: EventSource
    ) async -> (CheckedArtifact, PostedTransaction?) {
        let verified = await verifier.verify(content.jws, as: content.kind, now: configuration.clock())
        do throws(Refusal) {
            let artifact = try verified.get()
            let transaction = try PostedTransaction(in: artifact, index: index, place: index)
            let draft = try Intake(trust: configuration.trust).draft(for: artifact, source: source).get()
            return (.accepted(log.prepare(draft)), transaction)
        } catch {
            return (.refused(error, artifact: content.jws), nil)
        }
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
        .claimMissing, "the transaction lacks identifying claims",
        expected: "transactionId, originalTransactionId, bundleId, environment and signedDate",
        found: "not all of them")
}

extension PostedTransaction {
    /// Creates the transaction that an artifact is, or that a notification holds; nil when there is none to link.
    /// - Throws: `claim_missing` for a transaction without its ids, or with ids too long for an event.
    fileprivate init?(in artifact: SignedArtifact, index: Int, place: Int) throws(Refusal) {
        switch artifact {
        case .transaction(let signed):
            self = try Self.make(signed.payload.payload, in: artifact, index: index, place: place).get()
        case .notification(let notification):
            // A notification is appended even when its transaction cannot be linked.
            guard let signed = notification.transaction,
                case .success(let made) = Self.make(signed.payload.payload, in: artifact, index: index, place: place)
            else { return nil }
            self = made
        case .renewalInfo, .appTransaction: return nil
        }
    }

    private static func make(
        _ transaction: Transaction, in artifact: SignedArtifact, index: Int, place: Int
    ) -> Result<PostedTransaction, Refusal> {
        let filed = Derivation.facts(of: artifact, bundleId: nil).observations
        let keys = filed.compactMap { filed -> SubscriptionKey? in
            if case .subscription(let key) = filed.key { key } else { nil }
        }
        guard let key = keys.first, let id = transaction.transactionId else { return .failure(.unnamedTransaction) }
        let count = [key.environment.rawValue, key.bundleId, key.originalTransactionId].reduce(0) { $0 + $1.utf8.count }
        guard count <= CustomerEvents.keyByteLimit else {
            return .failure(
                Refusal(
                    .claimMissing, "the transaction's ids are too long",
                    expected: "at most \(CustomerEvents.keyByteLimit) bytes", found: "\(count)"))
        }
        return .success(
            PostedTransaction(
                index: index, place: place,
                name: TransactionName(transactionId: id, originalTransactionId: key.originalTransactionId), key: key,
                observations: filed.filter { $0.key == .subscription(key) }.map(\.observation),
                isFamilyShared: transaction.inAppOwnershipType == .familyShared))
    }
}
