import HTTPTypes

extension HTTPField.Name {
    /// RFC 8288.
    static let link = named("Link")
    /// WHATWG HTML §9.2.4.
    static let lastEventId = named("Last-Event-ID")

    /// The position of the newest event that an answer rests on.
    static let subledgerPosition = named("Subledger-Position")
    /// The cursor behind a page of a feed: for events the position of the last one considered.
    static let subledgerCursor = named("Subledger-Cursor")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field name is a token (RFC 9110 §5.1)") }
        return name
    }
}
