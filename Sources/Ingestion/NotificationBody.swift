package import AppStoreVerification
package import Primitives

/// The body of the App Store's POST: `{"signedPayload": JWS}` of version 2, whose envelope is not signed, or a
/// notification of version 1.
package enum NotificationBody {
    /// - Returns: the JWS, or the notification of version 1 as a whole; or the refusal `kind_unknown`.
    package static func content(of body: JSONView) -> Result<FoundArtifact.Content, Refusal> {
        if let payload = body["signedPayload"]?.string {
            return .success(FoundArtifact.Content(artifact: Array(payload.utf8), kind: .notification))
        }
        if body["notification_type"] != nil {
            return .success(FoundArtifact.Content(artifact: body.document.bytes, unsigned: .notification))
        }
        return .failure(
            Refusal(
                .kindUnknown, "not a notification",
                expected: "{\"signedPayload\": …}, or notification_type of version 1", found: "other JSON"))
    }
}
