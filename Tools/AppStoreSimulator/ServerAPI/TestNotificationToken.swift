import Primitives

/// Apple's name for a requested test notification: its UUID and the time of the request in milliseconds.
struct TestNotificationToken {
    let uuid: String
    let text: String

    init(uuid: String, requestedAt instant: Instant) {
        self.uuid = uuid
        text = "\(uuid)_\(instant.milliseconds)"
    }

    /// Returns nil for any other form.
    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUIDBytes(String(parts[0])) != nil, Int64(parts[1]) != nil else { return nil }
        uuid = String(parts[0])
        self.text = text
    }
}
