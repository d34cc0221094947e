import LedgerStorage
import Primitives

extension Record {
    /// Returns the notification key of a stored event, from its body and evidence; nil for an event that is not a
    /// notification.
    /// - Throws: `log_corrupt` when the evidence of a notification cannot be read.
    func notificationKey(_ evidence: EventEvidence) throws -> IdempotencyKey? {
        guard artifact == .notificationV2, let uuid = try? JSONDocument(parsing: body).root["notificationUUID"]?.string
        else { return nil }
        let bundleId =
            switch evidence {
            case .verbatim(let bytes): try bundleId(inNotification: bytes)
            case .erased(let erased): erased.bundleId
            }
        return IdempotencyKey(notificationUUID: uuid, environment: environment, bundleId: bundleId ?? "")
    }

    /// Returns the app that the evidence of a notification names; nil when it names none.
    /// - Throws: `log_corrupt` when the evidence cannot be read.
    package func bundleId(inNotification evidence: [UInt8]) throws -> String? {
        let segments = evidence.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3,
            let payload = segments[1].withUnsafeBytes({ Base64URL.decode($0) }),
            let root = try? JSONDocument(parsing: payload).root
        else {
            throw StorageError(
                .logCorrupt, "evidence at position \(position) is not a notification",
                hint: "Run `subledger audit verify --deep`.")
        }
        // One of four objects names the app:
        // developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload
        let parts: [StaticString] = ["data", "summary", "externalPurchaseToken", "appData"]
        return parts.lazy.compactMap { root[$0]?["bundleId"]?.string }.first
    }
}
