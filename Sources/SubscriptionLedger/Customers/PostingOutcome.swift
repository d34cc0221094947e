package import Primitives

/// The answer to a posting, given after the commit.
package struct PostingOutcome: Sendable {
    /// Names a transaction in StoreKit's terms.
    package struct TransactionName: Hashable, Sendable {
        package let transactionId: String
        package let originalTransactionId: String
    }

    /// Something posted that was not taken, or that was taken and is not this customer's.
    package struct Refused: Hashable, Sendable {
        /// In `signedTransactions`; nil for other parts.
        package let index: Int?
        /// `signedAppTransaction` or `receipt`; nil for transactions.
        package let part: String?
        /// A verification refusal, `linkRefused` or `tokenConflict`.
        package let code: String
        package let reason: String
        /// What who posted it can do.
        package let advice: String
    }

    /// What the ledger holds durably, duplicates among them: StoreKit may finish these.
    package let finish: [TransactionName]
    /// What it held before.
    package let duplicates: [TransactionName]
    package let refused: [Refused]
    /// As `customer(_:_:)` answers, for an anonymous one with its `handle`; null when everything was refused.
    package let customer: JSONValue
    /// Whether nothing posted was accepted: the caller answers 403.
    package let isEverythingRefused: Bool

    package var json: JSONValue {
        .object([
            "finish": .array(finish.map(\.json)), "duplicates": .array(duplicates.map(\.json)),
            "refused": .array(refused.map(\.json)), "customer": customer,
        ])
    }
}

extension PostingOutcome.TransactionName {
    fileprivate var json: JSONValue {
        .object([
            "transactionId": .string(transactionId), "originalTransactionId": .string(originalTransactionId),
        ])
    }
}

extension PostingOutcome.Refused {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let index { members.append(.init("index", .integer(Int64(index)))) }
        if let part { members.append(.init("part", .string(part))) }
        members += [
            .init("code", .string(code)), .init("reason", .string(reason)), .init("advice", .string(advice)),
        ]
        return .object(members)
    }
}
