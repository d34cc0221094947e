package import Primitives

/// The answer to posted transactions, given after the commit.
package struct PostingAnswer<Row: JSONRepresentable>: JSONRepresentable {
    /// The durably stored transactions, duplicates included. StoreKit may finish these.
    package var finish: [TransactionName]
    /// The transactions that were stored before.
    package var duplicates: [TransactionName]
    package var refused: [RefusedRow]
    /// Nil when everything was refused.
    package var customer: CustomerAnswer<Row>?

    package init(
        finish: [TransactionName], duplicates: [TransactionName], refused: [RefusedRow],
        customer: CustomerAnswer<Row>?
    ) {
        self.finish = finish
        self.duplicates = duplicates
        self.refused = refused
        self.customer = customer
    }

    package var isEverythingRefused: Bool { customer == nil }

    package var json: JSONValue {
        .object([
            "finish": finish.json, "duplicates": duplicates.json, "refused": refused.json,
            "customer": JSONValue(customer),
        ])
    }
}

/// The ids of a transaction, under StoreKit's names.
package struct TransactionName: Hashable, Sendable {
    package var transactionId: String
    package var originalTransactionId: String

    package init(transactionId: String, originalTransactionId: String) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
    }
}

extension TransactionName: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "transactionId": .string(transactionId), "originalTransactionId": .string(originalTransactionId),
        ])
    }
}

/// A part of a posting that was refused, or that was accepted and belongs to another customer.
package struct RefusedRow: Hashable, Sendable {
    /// The index in `signedTransactions`; nil for other parts.
    package var index: Int?
    /// `signedAppTransaction` or `receipt`; nil for transactions.
    package var part: String?
    /// The code of a verification refusal, or `link_refused`.
    package var code: String
    package var reason: String
    /// The remedy.
    package var advice: String

    package init(index: Int?, part: String?, code: String, reason: String, advice: String) {
        self.index = index
        self.part = part
        self.code = code
        self.reason = reason
        self.advice = advice
    }
}

extension RefusedRow: JSONRepresentable {
    package var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let index { members.append(.init("index", .integer(Int64(index)))) }
        if let part { members.append(.init("part", .string(part))) }
        members += [
            .init("code", .string(code)), .init("reason", .string(reason)), .init("advice", .string(advice)),
        ]
        return .object(members)
    }
}
