package import AppStoreModel
package import AppStoreVerification
package import Primitives

/// An answer or notification of Apple's in a file. Only its parts can be signed.
package enum UnsignedDocument: Sendable {
    case serverAPI(ServerAPIAnswer)
    case verifyReceipt(VerifyReceiptAnswer)
    case notificationV1(NotificationV1)

    /// Creates what a JSON document contains; nil when it is something else.
    package init?(_ document: JSONDocument) {
        if let answer = ServerAPIAnswer(document) {
            self = .serverAPI(answer)
        } else if let answer = VerifyReceiptAnswer(document.root) {
            self = .verifyReceipt(answer)
        } else if let notification = NotificationV1(document.root) {
            self = .notificationV1(notification)
        } else {
            return nil
        }
    }

    package var root: JSONView {
        switch self {
        case .serverAPI(let answer): answer.document.root
        case .verifyReceipt(let answer): answer.document
        case .notificationV1(let notification): notification.document
        }
    }

    /// The name of the service that gave the answer.
    package var origin: String {
        switch self {
        case .serverAPI: "the App Store Server API"
        case .verifyReceipt: "verifyReceipt"
        case .notificationV1: "notifications of version 1"
        }
    }

    var isNotification: Bool {
        if case .notificationV1 = self { true } else { false }
    }

    /// A part that Apple may have signed, and its place in the answer.
    package struct SignedPart: Sendable {
        package let path: String
        package let kind: ArtifactKind
        package let text: [UInt8]
    }

    package var signedParts: [SignedPart] {
        switch self {
        case .serverAPI(let answer):
            answer.parts.map { SignedPart(path: $0.path, kind: $0.kind, text: $0.text) }
        case .verifyReceipt(let answer): Self.part(answer.latestReceipt)
        case .notificationV1(let notification): Self.part(notification.latestReceipt)
        }
    }

    private static func part(_ receipt: String?) -> [SignedPart] {
        receipt.map { [SignedPart(path: "latest_receipt", kind: .receipt, text: Array($0.utf8))] } ?? []
    }
}
