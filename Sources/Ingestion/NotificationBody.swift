package import AppStoreVerification
package import Primitives

/// The body of the App Store's POST: `{"signedPayload": JWS}`. The envelope itself is not signed.
package enum NotificationBody {
    /// - Returns: the JWS; or the refusal `notification_version_unsupported` for version 1, `kind_unknown` for anything
    ///   else.
    package static func signedPayload(of body: JSONView) -> Result<[UInt8], Refusal> {
        if let payload = body["signedPayload"]?.string { return .success(Array(payload.utf8)) }
        if body["notification_type"] != nil {
            return .failure(
                Refusal(
                    .notificationVersionUnsupported, "unsupported notification version 1",
                    expected: "a version 2 notification, {\"signedPayload\": …}", found: "notification_type"))
        }
        return .failure(
            Refusal(
                .kindUnknown, "not a notification", expected: "{\"signedPayload\": …}", found: "other JSON"))
    }
}
