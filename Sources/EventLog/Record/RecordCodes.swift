/// The kind of an event. Values may be added, but never change their meaning.
package struct EventKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let transactionVerified = EventKind(rawValue: 1)
    package static let statusPolled = EventKind(rawValue: 2)
    package static let notificationReceived = EventKind(rawValue: 3)
    package static let receiptVerified = EventKind(rawValue: 4)
    package static let renewalInfoVerified = EventKind(rawValue: 5)
    package static let appTransactionVerified = EventKind(rawValue: 6)
    /// A notification of version 1, without its password.
    package static let notificationV1Received = EventKind(rawValue: 7)
    /// A receipt of iOS 6, which only Apple can verify.
    package static let transactionReceiptReceived = EventKind(rawValue: 8)
    package static let customerLinked = EventKind(rawValue: 16)
    package static let customersMerged = EventKind(rawValue: 17)
    package static let linkRefused = EventKind(rawValue: 18)
    package static let subscriptionTransferred = EventKind(rawValue: 19)
    package static let entitlementGranted = EventKind(rawValue: 20)
    package static let customerErased = EventKind(rawValue: 21)
    package static let customersUnmerged = EventKind(rawValue: 22)
    package static let consentRecorded = EventKind(rawValue: 23)
    /// An appAccountToken is mapped to a customer.
    package static let tokenMapped = EventKind(rawValue: 24)
    package static let catalogChanged = EventKind(rawValue: 32)
    package static let rulesActivated = EventKind(rawValue: 33)
    /// A request to Apple, or a signature for Apple, before it is made.
    package static let actRequested = EventKind(rawValue: 34)
    /// The result of such a request.
    package static let actAnswered = EventKind(rawValue: 35)
    package static let reconciled = EventKind(rawValue: 36)
    /// A row of another system. No fold reads it.
    package static let rowAsserted = EventKind(rawValue: 37)
    package static let ratesChanged = EventKind(rawValue: 38)
    package static let numbersClosed = EventKind(rawValue: 39)

    private static let names: [EventKind: String] = [
        .transactionVerified: "transactionVerified", .statusPolled: "statusPolled",
        .notificationReceived: "notificationReceived", .receiptVerified: "receiptVerified",
        .renewalInfoVerified: "renewalInfoVerified", .appTransactionVerified: "appTransactionVerified",
        .notificationV1Received: "notificationV1Received",
        .transactionReceiptReceived: "transactionReceiptReceived",
        .customerLinked: "customerLinked", .customersMerged: "customersMerged", .linkRefused: "linkRefused",
        .subscriptionTransferred: "subscriptionTransferred", .entitlementGranted: "entitlementGranted",
        .customerErased: "customerErased", .customersUnmerged: "customersUnmerged",
        .consentRecorded: "consentRecorded", .actRequested: "actRequested", .actAnswered: "actAnswered",
        .tokenMapped: "tokenMapped", .catalogChanged: "catalogChanged",
        .rulesActivated: "rulesActivated", .reconciled: "reconciled", .rowAsserted: "rowAsserted",
        .ratesChanged: "ratesChanged",
        .numbersClosed: "numbersClosed",
    ]

    /// The names of all kinds, in the order of their numbers.
    package static let allNames = names.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)

    /// The name in answers; the number for a kind of a later version.
    package var name: String { Self.names[self] ?? "\(rawValue)" }
}

package enum EnvironmentCode: UInt8, Sendable {
    case none = 0, production, sandbox, xcode, localTesting

    /// Apple's name of the environment.
    package var name: String? {
        switch self {
        case .none: nil
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        case .localTesting: "LocalTesting"
        }
    }

    package init?(name: String) {
        switch name {
        case "Production": self = .production
        case "Sandbox": self = .sandbox
        case "Xcode": self = .xcode
        case "LocalTesting": self = .localTesting
        default: return nil
        }
    }
}

/// The kind of evidence.
package struct ArtifactCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let none = ArtifactCode(rawValue: 0)
    package static let notificationV2 = ArtifactCode(rawValue: 1)
    package static let transaction = ArtifactCode(rawValue: 2)
    package static let renewalInfo = ArtifactCode(rawValue: 3)
    package static let appTransaction = ArtifactCode(rawValue: 4)
    package static let receipt = ArtifactCode(rawValue: 5)
    package static let receiptIOS6 = ArtifactCode(rawValue: 6)
    package static let verifyReceiptAnswer = ArtifactCode(rawValue: 7)
    package static let serverAPIAnswer = ArtifactCode(rawValue: 8)
    package static let notificationV1 = ArtifactCode(rawValue: 9)
    package static let yaml = ArtifactCode(rawValue: 10)
    /// The facts of erased evidence.
    package static let erasureResidue = ArtifactCode(rawValue: 11)
    package static let closeCells = ArtifactCode(rawValue: 12)
    /// The identifiers of a person in one of the ledger's own events. As evidence, they can be erased; a record cannot.
    package static let identifiers = ArtifactCode(rawValue: 13)

    private static let names = [
        "none", "notification", "transaction", "renewal-info", "app-transaction", "receipt", "receipt-ios6",
        "verify-receipt", "server-api", "notification-v1", "yaml", "erasure-residue", "close-cells", "identifiers",
    ]

    package var name: String {
        Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "\(rawValue)"
    }
}

/// The reason to trust the content.
package enum TrustClass: UInt8, Sendable {
    case signed = 1, fetched, sharedSecret, asserted, own

    package var name: String {
        switch self {
        case .signed: "signed"
        case .fetched: "fetched"
        case .sharedSecret: "sharedSecret"
        case .asserted: "asserted"
        case .own: "own"
        }
    }
}

package struct RecordFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The chain ends in a root that an operator configured.
    package static let configuredRoot = RecordFlags(rawValue: 1)
    /// A notification with a known UUID and other bytes.
    package static let repeats = RecordFlags(rawValue: 2)
    /// A secret in the evidence was blanked after it was checked.
    package static let redacted = RecordFlags(rawValue: 4)
    /// An unchanged answer; the body contains the position it confirms.
    package static let confirms = RecordFlags(rawValue: 8)
    /// A Production event that was received without a configured appAppleId for comparison.
    package static let appIdNotChecked = RecordFlags(rawValue: 16)
}
