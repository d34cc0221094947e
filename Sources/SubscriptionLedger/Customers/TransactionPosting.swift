package import Primitives

/// Signed transactions of one customer, as an app or a backend posts them: `POST /v1/transactions`.
package struct TransactionPosting: Sendable {
    /// The number of transactions in one call at most, since all of them are verified before the answer.
    package static let transactionLimit = 100

    /// `jwsRepresentation` of StoreKit transactions.
    package var signedTransactions: [String]
    /// `jwsRepresentation` of StoreKit's AppTransaction.
    package var signedAppTransaction: String?
    /// Whether the posting has a receipt, which is refused: receipts are not supported.
    package var hasReceipt: Bool
    /// The caller's id of the customer. Nil names the customer of `handle`; without both, the anonymous customer of the
    /// same Apple account, else a new one.
    package var customerId: String?
    /// A JWT that names the customer, signed by the developer's backend and verified by the receiver.
    package var customerToken: String?
    /// The handle of an anonymous customer from an earlier answer.
    package var handle: String?
    /// Whether the id comes from a verified customer token, which lets an app post for it.
    package var isVouchedFor = false

    package init(
        signedTransactions: [String], signedAppTransaction: String? = nil, hasReceipt: Bool = false,
        customerId: String? = nil, handle: String? = nil
    ) {
        self.signedTransactions = signedTransactions
        self.signedAppTransaction = signedAppTransaction
        self.hasReceipt = hasReceipt
        self.customerId = customerId
        self.handle = handle
    }
}

extension TransactionPosting {
    /// Reads the body of the request. Unknown members are ignored; a null is an absent member.
    /// - Throws: `posting_malformed` for a member of another type, an empty posting, or too many transactions.
    package init(body: JSONView) throws(CustomerError) {
        guard body.isObject else { throw .malformed("the body", expected: "a JSON object") }
        var texts: [String] = []
        if let list = body["signedTransactions"], !list.isNull {
            guard let elements = list.elements, elements.count <= Self.transactionLimit else {
                throw .malformed("signedTransactions", expected: "an array of at most \(Self.transactionLimit)")
            }
            for element in elements {
                guard let text = element.string else {
                    throw .malformed("signedTransactions", expected: "strings, each a JWS")
                }
                texts.append(text)
            }
        }
        self.init(
            signedTransactions: texts,
            signedAppTransaction: try Self.text(body["signedAppTransaction"], "signedAppTransaction"),
            hasReceipt: try Self.text(body["receipt"], "receipt") != nil,
            customerId: try Self.text(body["customerId"], "customerId"),
            handle: try Self.text(body["handle"], "handle"))
        customerToken = try Self.text(body["customerToken"], "customerToken")
        guard customerToken == nil || customerId == nil else {
            throw .malformed("customerId", expected: "none beside a customerToken")
        }
        guard !texts.isEmpty || signedAppTransaction != nil || hasReceipt else {
            throw .malformed("the body", expected: "signedTransactions, signedAppTransaction or receipt")
        }
    }

    private static func text(_ member: JSONView?, _ name: String) throws(CustomerError) -> String? {
        guard let member, !member.isNull else { return nil }
        guard let text = member.string else { throw .malformed(name, expected: "a string") }
        return text
    }
}
