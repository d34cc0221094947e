package import AppStoreModel
package import AppStoreVerification
package import Primitives

/// An answer of Apple's in a file. Only its parts can be signed.
package enum UnsignedAnswer: Sendable {
    case serverAPI(ServerAPIAnswer)
    case verifyReceipt(VerifyReceiptAnswer)

    /// Creates the answer in a JSON document; nil when it is none.
    package init?(_ document: JSONDocument) {
        if let answer = ServerAPIAnswer(document) {
            self = .serverAPI(answer)
        } else if let answer = VerifyReceiptAnswer(document.root) {
            self = .verifyReceipt(answer)
        } else {
            return nil
        }
    }

    package var root: JSONView {
        switch self {
        case .serverAPI(let answer): answer.document.root
        case .verifyReceipt(let answer): answer.document
        }
    }

    /// The name of the service that gave the answer.
    package var origin: String {
        switch self {
        case .serverAPI: "the App Store Server API"
        case .verifyReceipt: "verifyReceipt"
        }
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
        case .verifyReceipt(let answer):
            answer.latestReceipt.map { [SignedPart(path: "latest_receipt", kind: .receipt, text: Array($0.utf8))] }
                ?? []
        }
    }
}
