/// A text of Apple's that has no signature as a whole, and the reason to believe it.
package enum UnsignedText: String, Sendable, CaseIterable {
    /// An answer of verifyReceipt that an operator vouches for.
    case assertedAnswer = "asserted-verify-receipt"
    /// A notification of version 1 that an operator vouches for.
    case assertedNotification = "asserted-notification-v1"
    /// A notification of version 1 with its password.
    case notification = "notification-v1"
    /// A notification of version 1 that was refused earlier, with the SHA-256 of its password.
    case quarantinedNotification = "quarantined-notification-v1"
    /// A notification of version 1 that was refused earlier, and that an operator vouches for.
    case assertedQuarantinedNotification = "asserted-quarantined-notification-v1"
    /// An answer that was refused earlier, without an operator who vouches for it.
    case quarantinedAnswer = "quarantined-answer"

    /// Whether an operator vouches for the text.
    var isAsserted: Bool {
        switch self {
        case .assertedAnswer, .assertedNotification, .assertedQuarantinedNotification: true
        case .notification, .quarantinedNotification, .quarantinedAnswer: false
        }
    }
}
