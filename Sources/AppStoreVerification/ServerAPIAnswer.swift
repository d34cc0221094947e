package import Primitives

/// An answer of the App Store Server API: JWS, and unsigned words about them.
///
/// A JWS in an answer counts by itself, whether the others verify or not. The unsigned words count only if the answer
/// came from Apple.
/// https://developer.apple.com/documentation/appstoreserverapi
package struct ServerAPIAnswer: Sendable {
    package let document: JSONDocument
    /// The JWS, those of an item together.
    package let parts: [Part]
    /// The items of `lastTransactions`.
    package let items: [Item]

    /// A JWS in an answer.
    package struct Part: Sendable {
        /// The place in the answer, for example `data[0].lastTransactions[1].signedRenewalInfo`.
        package let path: String
        package let kind: ArtifactKind
        package let text: [UInt8]
        /// The place of the text in the answer; nil if it is no string, or one with escapes.
        package let range: Range<Int>?
    }

    /// The status of a subscription.
    package struct Item: Sendable {
        package let path: String
        package let originalTransactionId: String?
        package let status: Int64?
        /// The index of `signedTransactionInfo` among the parts.
        package let transaction: Int?
        /// The index of `signedRenewalInfo` among the parts.
        package let renewalInfo: Int?
    }

    package var bundleId: String? { document.root["bundleId"]?.string }
    package var environment: String? { document.root["environment"]?.string }
    package var appAppleId: Int64? { document.root["appAppleId"]?.integer }
    /// Apple's code of an error; nil for any other answer.
    package var errorCode: Int64? { document.root["errorCode"]?.integer }

    /// Creates the answer in a JSON document; nil when no member of it is one that such answers have.
    package init?(_ document: JSONDocument) {
        guard Self.isAnswer(document.root) else { return nil }
        var reader = Reader()
        reader.read(document.root)
        self.document = document
        (parts, items) = (reader.parts, reader.items)
    }

    private static func isAnswer(_ root: JSONView) -> Bool {
        if root["signedTransactions"]?.elements != nil || root["notificationHistory"]?.elements != nil { return true }
        if root["signedTransactionInfo"]?.string != nil || root["signedAppTransactionInfo"]?.string != nil {
            return true
        }
        if root["errorCode"]?.integer != nil { return true }
        return root["data"]?.elements != nil && root["bundleId"] != nil
    }
}

extension ServerAPIAnswer {
    private struct Reader {
        var parts: [Part] = []
        var items: [Item] = []

        mutating func read(_ root: JSONView) {
            for (index, element) in (root["signedTransactions"]?.elements ?? []).enumerated() {
                add(element, .transaction, "signedTransactions[\(index)]")
            }
            for (index, element) in (root["notificationHistory"]?.elements ?? []).enumerated() {
                add(element["signedPayload"], .notification, "notificationHistory[\(index)].signedPayload")
            }
            add(root["signedTransactionInfo"], .transaction, "signedTransactionInfo")
            add(root["signedAppTransactionInfo"], .appTransaction, "signedAppTransactionInfo")
            for (index, group) in (root["data"]?.elements ?? []).enumerated() {
                for (number, item) in (group["lastTransactions"]?.elements ?? []).enumerated() {
                    read(item, at: "data[\(index)].lastTransactions[\(number)]")
                }
            }
        }

        private mutating func read(_ item: JSONView, at path: String) {
            let transaction = add(item["signedTransactionInfo"], .transaction, "\(path).signedTransactionInfo")
            let renewalInfo = add(item["signedRenewalInfo"], .renewalInfo, "\(path).signedRenewalInfo")
            items.append(
                Item(
                    path: path, originalTransactionId: item["originalTransactionId"]?.string,
                    status: item["status"]?.integer, transaction: transaction, renewalInfo: renewalInfo))
        }

        /// Returns the index of the added part; nil when there is none. Something other than a string is a part too,
        /// which verification refuses.
        @discardableResult
        private mutating func add(_ value: JSONView?, _ kind: ArtifactKind, _ path: String) -> Int? {
            guard let value, !value.isNull else { return nil }
            parts.append(
                Part(
                    path: path, kind: kind, text: Array((value.string ?? "").utf8), range: value.plainStringRange))
            return parts.count - 1
        }
    }
}

extension SignedDataVerifier {
    /// Verifies a signed part of an answer by itself.
    package func verify(_ part: ServerAPIAnswer.Part, now: Instant) async -> Result<SignedArtifact, Refusal> {
        await verify(part.text, as: part.kind, now: now).mapError { $0.inside(part.path) }
    }
}
