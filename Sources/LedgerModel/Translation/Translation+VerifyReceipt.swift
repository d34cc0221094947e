package import AppStoreModel
package import Primitives

/// An answer of verifyReceipt with what its question says about it.
package struct AnsweredReceipt: Sendable {
    package let answer: VerifyReceiptAnswer
    /// The SHA-256 of the answer.
    package let digest: Digest
    package let environment: Environment
    package let bundleId: String
    /// The time of an answer that states none.
    package let receivedAt: Instant
    /// Whether Apple was asked for the newest purchase of each subscription only; nil where it is unknown.
    package let excludesOldTransactions: Bool?

    package init(
        _ answer: VerifyReceiptAnswer, digest: Digest, environment: Environment, bundleId: String,
        receivedAt: Instant, excludesOldTransactions: Bool?
    ) {
        (self.answer, self.digest, self.environment, self.bundleId) = (answer, digest, environment, bundleId)
        (self.receivedAt, self.excludesOldTransactions) = (receivedAt, excludesOldTransactions)
    }

    fileprivate var time: Instant { answer.requestDate ?? receivedAt }

    /// The most purchases that Apple returns.
    private static let rowLimit = 100

    /// Whether the newest purchases are all there are.
    fileprivate var isComplete: Bool {
        !(excludesOldTransactions ?? !answer.hasOldTransactions) && !answer.isOfTransactionReceipt
            && answer.latestRowCount < Self.rowLimit && answer.unreadable == 0
    }
}

extension Translation {
    /// Returns the purchases, the renewals and the first download in an answer of verifyReceipt. Its newest words count as
    /// of the answer, those of the receipt as of the receipt.
    package func answer(_ answered: AnsweredReceipt) -> [KeyedObservation] {
        let (answer, statement) = (answered.answer, UnsignedStatement(answered))
        func purchase(
            _ row: VerifyReceiptAnswer.Row, at time: Instant, _ rank: SourceRank, isOfFullHistory: Bool
        ) -> KeyedObservation {
            var fact = TransactionFact(row.purchase)
            // Testers share the sandbox's devices, and with them receipts.
            fact.companion = answered.environment == .production ? Self.companion(of: answer.keys) : nil
            fact.isOfFullHistory = isOfFullHistory
            return observation(
                .transaction(fact), of: row.purchase.originalTransactionId, row.path, statement, time, rank)
        }
        return answer.latest.map {
            purchase($0, at: answered.time, .verifyReceiptLatest, isOfFullHistory: answered.isComplete)
        }
            + answer.inApp.map {
                purchase($0, at: answer.receiptCreationDate ?? answered.time, .receiptInApp, isOfFullHistory: false)
            } + renewals(in: answered, statement) + firstDownload(in: answered)
    }

    /// The first download that the receipt states, as of the receipt.
    private func firstDownload(in answered: AnsweredReceipt) -> [KeyedObservation] {
        guard let stated = answered.answer.firstDownload else { return [] }
        let source = Source(
            name: ObservationName(digest: answered.digest, path: "receipt"),
            time: answered.answer.receiptCreationDate ?? answered.time, rank: .receiptInApp, position: position,
            recordedAt: recordedAt)
        return download(stated, answered.environment, answered.bundleId, source)
    }

    /// Returns the renewals, and a removal for each subscription whose purchases are stated without any.
    private func renewals(in answered: AnsweredReceipt, _ statement: UnsignedStatement) -> [KeyedObservation] {
        let answer = answered.answer
        let stated = answer.renewals.map { element in
            observation(
                .renewal(RenewalFact(element)), of: element.renewal.originalTransactionId, element.path, statement,
                answered.time, .verifyReceiptLatest)
        }
        let spokenOf = Set(answer.renewals.map(\.renewal.originalTransactionId))
        let silent = Set(
            answer.latest.lazy.map(\.purchase).filter { $0.expiresDate != nil }.map(\.originalTransactionId)
        ).subtracting(spokenOf)
        return stated
            + silent.sorted().map { id in
                observation(
                    .renewal(.removed), of: id, "pending_renewal_info", statement, answered.time, .verifyReceiptLatest)
            }
    }

    /// Returns an observation in the timeline of an originalTransactionId.
    /// - Parameter path: the place in the statement.
    func observation(
        _ fact: Fact, of id: String, _ path: String, _ statement: UnsignedStatement, _ time: Instant, _ rank: SourceRank
    ) -> KeyedObservation {
        let key = SubscriptionKey(
            environment: statement.environment, bundleId: statement.bundleId, originalTransactionId: id)
        let source = Source(
            name: ObservationName(digest: statement.digest, path: path.isEmpty ? .empty : Symbol(path)), time: time,
            rank: rank, position: position, recordedAt: recordedAt)
        return KeyedObservation(key: .subscription(key), observation: Observation(source: source, fact: fact))
    }
}

/// A text of Apple's without a signature of its own, and the app that it is about.
struct UnsignedStatement {
    let digest: Digest
    let environment: Environment
    let bundleId: String

    init(digest: Digest, environment: Environment, bundleId: String) {
        (self.digest, self.environment, self.bundleId) = (digest, environment, bundleId)
    }

    fileprivate init(_ answered: AnsweredReceipt) {
        self.init(digest: answered.digest, environment: answered.environment, bundleId: answered.bundleId)
    }
}

extension VerifyReceiptAnswer {
    /// The originalTransactionIds of its purchases.
    fileprivate var keys: [AppleID] { (latest + inApp).map { AppleID($0.purchase.originalTransactionId) } }

    /// Whether there are several purchases of one subscription, which proves that Apple was asked for all.
    fileprivate var hasOldTransactions: Bool {
        Set(latest.lazy.map(\.purchase.originalTransactionId)).count < latest.count
    }
}

extension RenewalFact {
    /// The word that nothing is left to say about a renewal.
    fileprivate static var removed: RenewalFact {
        var fact = RenewalFact()
        (fact.isRemoved, fact.autoRenewStatus, fact.isInBillingRetryPeriod) = (true, .off, false)
        return fact
    }

    init(_ element: VerifyReceiptAnswer.Element) {
        self.init()
        let renewal = element.renewal
        isOneOfSeveral = element.isOneOfSeveral
        productId = renewal.productId?.symbol
        autoRenewProductId = renewal.autoRenewProductId?.symbol
        autoRenewStatus = renewal.autoRenewStatus
        expirationIntent = renewal.expirationIntent
        isInBillingRetryPeriod = renewal.isInBillingRetryPeriod
        gracePeriodExpiresDate = renewal.gracePeriodExpiresDate
        priceIncreaseStatus = renewal.priceIncreaseStatus
        offer = renewal.offer.flatMap { offer in
            TransactionFact.Offer(
                offerType: offer.offerType, offerIdentifier: offer.offerIdentifier?.symbol, offerDiscountType: nil,
                offerPeriod: nil)
        }
    }
}
