import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
package import Primitives

/// A requested grant of an entitlement.
package struct GrantRequest: Sendable {
    package let entitlement: String
    /// The end; nil for a grant that does not end.
    package let until: Instant?
    /// The reason, in words.
    package let because: String

    package init(entitlement: String, until: Instant?, because: String) {
        self.entitlement = entitlement
        self.until = until
        self.because = because
    }
}

extension GrantRequest {
    private static let byteLimit = 500

    package var json: JSONValue {
        .object([
            "entitlement": .string(entitlement), "until": JSONValue(until), "because": .string(because),
        ])
    }

    /// - Throws: `posting_malformed`.
    init(body: JSONView) throws(CustomerError) {
        try body.requireMembers(["entitlement", "until", "because"])
        let text = try body.text(of: "until")
        let until = text.flatMap { Instant(text: $0) }
        if let text, until == nil {
            throw .malformed("until", expected: "an ISO 8601 date and time, or null", found: text)
        }
        self.init(
            entitlement: try body.requiredText(of: "entitlement"), until: until,
            because: try body.requiredText(of: "because"))
    }

    /// - Throws: `posting_malformed` for texts that do not fit into an event.
    fileprivate func check() throws(CustomerError) {
        guard Rules.isName(entitlement) else {
            throw .malformed("entitlement", expected: Rules.nameForm, found: entitlement)
        }
        guard (1...Self.byteLimit).contains(because.utf8.count) else {
            throw .malformed(
                "because", expected: "1 to \(Self.byteLimit) bytes", found: "\(because.utf8.count)")
        }
    }
}

extension LedgerWriter {
    /// Grants an entitlement to a customer from now on. The newest grant of an entitlement counts.
    /// - Throws: `customer_id_invalid`, `posting_malformed`; `StorageError`.
    package func grant(
        _ request: GrantRequest, to externalId: String, by caller: Caller, scope: CustomerScope, source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        try request.check()
        let name = try ExternalCustomerID(externalId)
        let submitter = try await submitter(name, nil, [], caller, source)
        let grants = try reader.facts.statements(about: submitter.customer, knownAt: try reader.knownSize(nil)).grants
        let grant = EntitlementGrant(
            customer: submitter.customer, entitlement: Symbol(request.entitlement), from: configuration.clock(),
            until: request.until, because: request.because, position: 0)
        let origin = EventOrigin(source: source, keyName: caller.keyName)
        let draft = CustomerEvents.granted(
            grant, by: caller.role.rawValue, after: grants.map(\.position).max(), origin)
        _ = try await append(draft)
        return try reader.answer(externalId, of: submitter, scope)
    }
}
