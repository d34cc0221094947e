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
    /// The members of the body. `deviceGUID` belongs to a receipt and is not used, since receipts are refused.
    private static let members = [
        "signedTransactions", "signedAppTransaction", "receipt", "customerId", "customerToken", "handle", "deviceGUID",
    ]

    /// Reads the body of the request. A null is an absent member.
    /// - Throws: `posting_malformed` for an unknown member, a member of another type, an empty posting, or too many
    ///   transactions.
    package init(body: JSONView) throws(CustomerError) {
        try body.requireMembers(Self.members)
        _ = try body.text(of: "deviceGUID")
        let texts = try Self.transactions(in: body)
        self.init(
            signedTransactions: texts ?? [], signedAppTransaction: try body.text(of: "signedAppTransaction"),
            hasReceipt: try body.text(of: "receipt") != nil, customerId: try body.text(of: "customerId"),
            handle: try body.text(of: "handle"))
        customerToken = try body.text(of: "customerToken")
        guard customerToken == nil || customerId == nil else {
            throw .malformed("customerId", expected: "none beside a customerToken", found: "both")
        }
        guard !signedTransactions.isEmpty || signedAppTransaction != nil || hasReceipt else {
            throw .malformed(
                "the body", expected: "signedTransactions, signedAppTransaction or receipt",
                found: texts == nil ? "none" : "an empty list")
        }
    }

    /// Returns nil without a list.
    private static func transactions(in body: JSONView) throws(CustomerError) -> [String]? {
        let name = "signedTransactions"
        guard let list = body["signedTransactions"], !list.isNull else { return nil }
        guard let elements = list.elements else {
            throw .malformed(name, expected: "an array of strings", found: list.type.phrase)
        }
        guard elements.count <= transactionLimit else {
            throw .malformed(name, expected: "at most \(transactionLimit) transactions", found: "\(elements.count)")
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.string else {
                throw .malformed(
                    name, expected: "strings, each a JWS", found: "\(element.type.phrase) at index \(index)")
            }
            texts.append(text)
        }
        return texts
    }
}
