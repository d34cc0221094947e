import AppStoreModel
import AppStoreSimulation
import Primitives

/// A signed transaction that the app on a customer's device posts to its own server.
package struct DevicePosting: Sendable {
    package let number: Int
    package let customer: Int
    let artifact: StoreArtifact
    private(set) var due: Instant

    /// The app posts what is unfinished when it is started again.
    private static let untilNextLaunch = Instant.millisecondsPerDay

    /// - Returns: nil for what no device has.
    init?(_ artifact: StoreArtifact, number: Int) {
        guard let customer = artifact.customer, artifact.isOnDevice else { return nil }
        self.number = number
        self.customer = customer
        self.artifact = artifact
        due = artifact.signedDate
    }

    mutating func postpone(from now: Instant) {
        due = now.advanced(byMilliseconds: Self.untilNextLaunch)
    }

    /// The body that the app posts.
    func body(signedBy signer: JWSSigner) -> JSONValue {
        let signed = signer.sign(artifact)
        var members = [JSONValue.Member("customerId", .string("customer-\(customer)"))]
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

    mutating func add(_ artifact: StoreArtifact) {
        guard let posting = DevicePosting(artifact, number: next) else { return }
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
