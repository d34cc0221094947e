package import Primitives

/// The window of a comparison that a command hands over to the service.
package struct ReconcileRequest: Sendable {
    package let since: Instant
    package let until: Instant

    package init(since: Instant, until: Instant) {
        self.since = since
        self.until = until
    }
}

extension ReconcileRequest {
    package var json: JSONValue { .object(["since": JSONValue(since), "until": JSONValue(until)]) }

    /// - Throws: `posting_malformed`.
    package init(_ json: JSONView) throws(CustomerError) {
        try json.requireMembers(["since", "until"])
        self.init(since: try Self.instant(json, "since"), until: try Self.instant(json, "until"))
    }

    private static func instant(_ json: JSONView, _ name: StaticString) throws(CustomerError) -> Instant {
        let text = try json.requiredText(of: name)
        guard let instant = Instant(text: text) else {
            throw .malformed("\(name)", expected: "ISO 8601 or milliseconds since 1970", found: text)
        }
        return instant
    }

    /// A line of the response during the comparison.
    package static func progress(_ share: Double) -> JSONValue {
        .object(["done": .integer(Int64(share * 1_000_000))])
    }

    /// Returns the share that is done; nil for the comparison itself.
    package static func share(_ line: JSONView) -> Double? {
        line["done"]?.integer.map { Double($0) / 1_000_000 }
    }
}
