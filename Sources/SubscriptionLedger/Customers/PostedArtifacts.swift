import AppStoreModel
import AppStoreTranslation
import AppStoreVerification
import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime

/// What came of verifying a posting.
struct PostedArtifacts: Sendable {
    /// Accepted or refused, in the order posted: transactions, then the app transaction.
    private(set) var checked: [CheckedArtifact] = []
    /// Those of `checked` that are accepted transactions, in the same order.
    private(set) var transactions: [PostedTransaction] = []
    private(set) var refused: [PostingOutcome.Refused] = []

    var isEverythingRefused: Bool {
        !checked.contains { artifact in
            if case .accepted = artifact { true } else { false }
        }
    }

    mutating func add(_ transaction: PostedTransaction, _ event: PreparedEvent) {
        transactions.append(transaction)
        checked.append(.accepted(event))
    }

    mutating func add(_ event: PreparedEvent) {
        checked.append(.accepted(event))
    }

    mutating func refuse(_ refusal: Refusal, _ artifact: [UInt8], index: Int? = nil, part: String? = nil) {
        checked.append(.refused(refusal, artifact: artifact))
        refused.append(PostingOutcome.Refused(refusal, index: index, part: part))
    }

    mutating func refuseReceipt() {
        let refusal = Refusal(.kindUnknown, "receipts are not taken", expected: "signedTransactions", found: "receipt")
        refused.append(PostingOutcome.Refused(refusal, index: nil, part: "receipt"))
    }
}

/// An accepted transaction, as far as it matters whose it is.
struct PostedTransaction: Sendable {
    let index: Int
    /// Among the artifacts checked.
    let place: Int
    let name: PostingOutcome.TransactionName
    let key: SubscriptionKey
    let observations: [Observation]
    let isFamilyShared: Bool

    /// Whom it was bought for. A family member's copy would tell the purchaser.
    var token: AppAccountToken? {
        guard !isFamilyShared else { return nil }
        return observations.compactMap { $0.fact.appAccountToken.flatMap(AppAccountToken.init) }.first
    }
}

extension Ledger {
    /// Verifies what was posted, one after the other, so that one posting does not take every core.
    func check(_ posting: TransactionPosting, source: EventSource) async -> PostedArtifacts {
        var posted = PostedArtifacts()
        for (index, text) in posting.signedTransactions.enumerated() {
            let jws = Array(text.utf8)
            switch await checkTransaction(jws, index: index, place: posted.checked.count, source) {
            case .success(let (transaction, event)): posted.add(transaction, event)
            case .failure(let refusal): posted.refuse(refusal, jws, index: index)
            }
        }
        if let text = posting.signedAppTransaction {
            let jws = Array(text.utf8)
            switch await check(jws, as: .appTransaction, source: source) {
            case .accepted(let event): posted.add(event)
            case .refused(let refusal, let artifact):
                posted.refuse(refusal, artifact, part: "signedAppTransaction")
            }
        }
        if posting.hasReceipt { posted.refuseReceipt() }
        return posted
    }

    private func checkTransaction(
        _ jws: [UInt8], index: Int, place: Int, _ source: EventSource
    ) async -> Result<(PostedTransaction, PreparedEvent), Refusal> {
        // The kind is found out from the claims: another artifact is not to be read as an empty transaction.
        let verified = await verifier.verify(jws, now: configuration.clock())
        return verified.flatMap { artifact in
            guard case .transaction(let signed) = artifact else {
                return .failure(
                    Refusal(
                        .kindUnknown, "this is no transaction", expected: ArtifactKind.transaction.rawValue,
                        found: artifact.kind.rawValue))
            }
            return PostedTransaction.make(signed, index: index, place: place).flatMap { transaction in
                Intake(trust: configuration.trust).draft(for: artifact, source: source).map {
                    (transaction, log.prepare($0))
                }
            }
        }
    }

    /// Verifies one of many artifacts of any kind; a transaction comes with what matters to whose it is.
    /// - Parameter index: its place among them.
    func checkLinkable(
        _ content: FoundArtifact.Content, at index: Int, source: EventSource
    ) async -> (CheckedArtifact, PostedTransaction?) {
        let verified = await verifier.verify(content.jws, as: content.kind, now: configuration.clock())
        var transaction: PostedTransaction?
        do throws(Refusal) {
            let artifact = try verified.get()
            if case .transaction(let signed) = artifact {
                transaction = try PostedTransaction.make(signed, index: index, place: index).get()
            }
            let draft = try Intake(trust: configuration.trust).draft(for: artifact, source: source).get()
            return (.accepted(log.prepare(draft)), transaction)
        } catch {
            return (.refused(error, artifact: content.jws), nil)
        }
    }
}

extension PostedTransaction {
    /// - Returns: `claim_missing` for a transaction that has no name, or one that no event can hold.
    fileprivate static func make(
        _ signed: VerifiedJWS<Transaction>, index: Int, place: Int
    ) -> Result<PostedTransaction, Refusal> {
        let filed = Derivation.facts(of: .transaction(signed), bundleId: nil).observations
        guard case .subscription(let key) = filed.first?.key, let id = signed.payload.payload.transactionId else {
            return .failure(
                Refusal(
                    .claimMissing, "the transaction does not say which it is",
                    expected: "transactionId, originalTransactionId, bundleId, environment and signedDate",
                    found: "less"))
        }
        let count = [key.environment.rawValue, key.bundleId, key.originalTransactionId].reduce(0) { $0 + $1.utf8.count }
        guard count <= CustomerEvents.keyByteLimit else {
            return .failure(
                Refusal(
                    .claimMissing, "the transaction's ids are too long to be any",
                    expected: "at most \(CustomerEvents.keyByteLimit) bytes", found: "\(count)"))
        }
        return .success(
            PostedTransaction(
                index: index, place: place,
                name: PostingOutcome.TransactionName(
                    transactionId: id, originalTransactionId: key.originalTransactionId),
                key: key, observations: filed.map(\.observation),
                isFamilyShared: signed.payload.payload.inAppOwnershipType == .familyShared))
    }
}
