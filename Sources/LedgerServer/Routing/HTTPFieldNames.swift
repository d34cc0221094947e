import HTTPTypes

extension HTTPField.Name {
    /// The field of RFC 8288.
    static let link = named("Link")
    /// The field of WHATWG HTML §9.2.4.
    static let lastEventId = named("Last-Event-ID")

    /// The caller's name of a request that is made once.
    static let idempotencyKey = named("Idempotency-Key")
    /// The position of the newest event included in an answer.
    static let subledgerPosition = named("Subledger-Position")
    /// The cursor after a page of a feed. For events, it is the position of the last scanned event.
    static let subledgerCursor = named("Subledger-Cursor")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field name is a token (RFC 9110 §5.1)") }
        return name
    }
}
