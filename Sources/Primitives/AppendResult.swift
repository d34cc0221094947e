/// The result of appending an event.
package struct AppendResult: Hashable, Sendable {
    /// The position of the first event with the same idempotency or notification key.
    package let position: UInt64
    /// Whether the log already contained the same artifact, or a notification with the same UUID.
    package let isDuplicate: Bool
    /// Whether an event was appended. A re-signed copy is a duplicate and is still appended.
    package let isAppended: Bool

    package init(position: UInt64, isDuplicate: Bool, isAppended: Bool) {
        self.position = position
        self.isDuplicate = isDuplicate
        self.isAppended = isAppended
    }
}
