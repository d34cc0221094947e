import AppStoreVerification
package import Primitives

/// The signed transactions and the receipt of one customer, as posted by an app or a backend: `POST /v1/transactions`.
package struct TransactionPosting: Sendable {
    /// The maximum number of transactions per call. All of them are verified before the answer.
    package static let transactionLimit = 100
    /// The name of the receipt among the parts of a posting.
    static let receiptPart = "receipt"

    /// The `jwsRepresentation` of StoreKit transactions.
    package var signedTransactions: [String]
    /// The `jwsRepresentation` of StoreKit's AppTransaction.
    package var signedAppTransaction: String?
    /// The app receipt, in base64.
    package var receipt: String?
    /// The device whose receipt it must be; nil to accept that of any device.
    package var deviceGUID: [UInt8]?
    /// The caller's id of the customer. Nil selects the customer of `handle`; without both, the anonymous customer of
    /// the same Apple account, else a new one.
    package var customerId: String?
    /// A JWT that names the customer. The developer's backend signs it, and the receiver verifies it.
    package var customerToken: String?
    /// The handle of an anonymous customer from an earlier answer.
    package var handle: String?
    /// Whether the id comes from a verified customer token. An app may then post for it.
    package var isVouchedFor = false

    package init(
        signedTransactions: [String], signedAppTransaction: String? = nil, receipt: String? = nil,
        customerId: String? = nil, handle: String? = nil
    ) {
        self.signedTransactions = signedTransactions
        self.signedAppTransaction = signedAppTransaction
        self.receipt = receipt
        self.customerId = customerId
        self.handle = handle
    }
}

extension TransactionPosting {
    /// The accepted members of the body.
    private static let members = [
        "signedTransactions", "signedAppTransaction", "receipt", "customerId", "customerToken", "handle", "deviceGUID",
    ]

    /// Creates a posting from the body of a request. A null member is an absent one.
    /// - Throws: `posting_malformed` for an unknown member, a member of another type, or too many transactions.
    package init(body: JSONView) throws(CustomerError) {
        try body.requireMembers(Self.members)
        self.init(
            signedTransactions: try Self.transactions(in: body) ?? [],
            signedAppTransaction: try body.text(of: "signedAppTransaction"),
            receipt: try body.text(of: "receipt"), customerId: try body.text(of: "customerId"),
            handle: try body.text(of: "handle"))
        customerToken = try body.text(of: "customerToken")
        guard customerToken == nil || customerId == nil else {
            throw .malformed("customerId", expected: "none together with customerToken", found: "both")
        }
        deviceGUID = try Self.deviceGUID(in: body)
    }

    /// Whether nothing is posted. An app without a receipt asks for the customer in this way.
    var isEmpty: Bool { signedTransactions.isEmpty && signedAppTransaction == nil && receipt == nil }

    private static func deviceGUID(in body: JSONView) throws(CustomerError) -> [UInt8]? {
        guard let text = try body.text(of: "deviceGUID") else { return nil }
        guard let guid = ReceiptDevice.guid(text) else {
            throw .malformed(
                "deviceGUID", expected: "the 16 bytes of identifierForVendor, or a network address, in hexadecimal",
                found: "another text")
        }
        return guid
    }

    /// Returns the transactions; nil when the member is absent or null.
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
                    name, expected: "JWS strings", found: "\(element.type.phrase) at index \(index)")
            }
            texts.append(text)
        }
        return texts
    }
}
