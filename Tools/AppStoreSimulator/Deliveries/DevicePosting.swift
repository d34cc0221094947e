import AppStoreModel
import AppStoreSimulation
import Primitives

/// The form in which devices post purchases.
package enum PostingForm: String, CaseIterable, Sendable {
    /// Signed transactions, of StoreKit 2.
    case transactions
    /// App receipts, of the original StoreKit.
    case receipts
    /// Receipts in the first half of the months, transactions in the second: an app that moves to StoreKit 2.
    case moving
}

/// A purchase that the app on a customer's device posts to its own server.
package struct DevicePosting: Sendable {
    package let number: Int
    package let customer: Int
    /// Whether the device posts its receipt at that time in place of the signed transaction.
    package let isReceipt: Bool
    let artifact: StoreArtifact
    private(set) var due: Instant

    /// The app posts what is unfinished when it is started again.
    private static let untilNextLaunch = Instant.millisecondsPerDay

    /// - Returns: nil for what no device has.
    init?(_ artifact: StoreArtifact, number: Int, isReceipt: Bool) {
        guard let customer = artifact.customer, artifact.isOnDevice else { return nil }
        // The receipt states what an app transaction does.
        if isReceipt, artifact.kind == .appTransaction { return nil }
        self.isReceipt = isReceipt
        self.number = number
        self.customer = customer
        self.artifact = artifact
        due = artifact.signedDate
    }

    mutating func postpone(from now: Instant) {
        due = now.advanced(byMilliseconds: Self.untilNextLaunch)
    }

    /// The body that the app posts.
    /// - Parameter receipt: the signed receipt of the device; nil for a transaction.
    func body(signedBy signer: JWSSigner, receipt: [UInt8]?) -> JSONValue {
        var members = [JSONValue.Member("customerId", .string("customer-\(customer)"))]
        if let receipt {
            members.append(.init("receipt", .string(Base64.encode(receipt))))
            return .object(members)
        }
        let signed = signer.sign(artifact)
        if artifact.kind == .appTransaction {
            members.append(.init("signedAppTransaction", .string(signed.jws.text)))
        } else {
            let jws = signed.transaction ?? signed.jws
            members.append(.init("signedTransactions", .array([.string(jws.text)])))
        }
        return .object(members)
    }
}

extension StoreArtifact {
    /// Whether the app on the device gets the transaction: it asked for it, or the customer has just bought something.
    fileprivate var isOnDevice: Bool {
        switch kind {
        case .transaction, .appTransaction: true
        case .renewalInfo: false
        case .notification:
            notificationType == .subscribed || notificationType == .oneTimeCharge
                || notificationType == .didChangeRenewalPref && subtype == .upgrade
        }
    }
}

/// The postings that no server has taken yet.
struct PostingQueue: Sendable {
    private var postings: [Int: DevicePosting] = [:]
    private var next = 0

    var count: Int { postings.count }

    subscript(number: Int) -> DevicePosting? { postings[number] }

    mutating func add(_ artifact: StoreArtifact, isReceipt: Bool) {
        guard let posting = DevicePosting(artifact, number: next, isReceipt: isReceipt) else { return }
        postings[next] = posting
        next += 1
    }

    func due(by instant: Instant) -> [DevicePosting] {
        postings.values.filter { $0.due <= instant }.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
    }

    /// - Parameter isTaken: whether the server took it; otherwise the device posts it again.
    mutating func record(_ number: Int, isTaken: Bool, at now: Instant) {
        if isTaken { postings[number] = nil } else { postings[number]?.postpone(from: now) }
    }
}
