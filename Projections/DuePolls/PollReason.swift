/// The reason to ask Apple about an account, the most urgent first.
package enum PollReason: String, CaseIterable, Sendable {
    /// A receipt of iOS 6 came, which only Apple can verify.
    case token
    /// A notification of version 1 came, which proves nothing that would open access.
    case notificationV1 = "v1"
    /// A renewal info or a gap shows a period that no transaction states.
    case implied
    /// A field of the state rests on an inference, or it is unknown whether the subscription renews.
    case inferred
    /// Apple stated a status that differs from the folded one.
    case disagreement
    /// A period ended, and its outcome is unknown.
    case periodEnded
    /// Apple retries a charge.
    case retry
    /// A period will end soon.
    case beforeEnd
    /// Nothing was heard for long about a subscription in use.
    case sweep

    package var urgency: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

/// The kind of a question.
package enum PollQuestion: Hashable, Sendable {
    case statuses
    /// All transactions, because one is missing.
    case history
}
