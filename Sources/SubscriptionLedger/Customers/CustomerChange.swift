import AppStoreModel
package import LedgerAPI
package import Primitives

/// A requested change of a customer, given as the options of a command or as the body of a request.
package enum CustomerChange: Sendable {
    case identify(handle: String, merge: Bool)
    case link(SubscriptionSelector)
    case merge(MergedCustomer)
    case unmerge(MergedCustomer)
    case transfer(SubscriptionSelector)
    case grant(GrantRequest)

    /// The last component of the route, and the name of the subcommand of `customer`.
    package enum Kind: String, CaseIterable, Sendable {
        case identify, link, merge, unmerge, transfer, grant
    }

    package var kind: Kind {
        switch self {
        case .identify: .identify
        case .link: .link
        case .merge: .merge
        case .unmerge: .unmerge
        case .transfer: .transfer
        case .grant: .grant
        }
    }
}

extension LedgerWriter {
    /// Changes a customer and returns its state.
    /// - Throws: the errors of `identify`, `link`, `merge`, `unmerge`, `transfer` or `grant`.
    package func apply(
        _ change: CustomerChange, to id: String, by caller: Caller, scope: CustomerScope, source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        switch change {
        case .identify(let handle, let merge):
            try await identify(id, handle: handle, merge: merge, by: caller, scope: scope, source: source)
        case .link(let selector):
            try await link(selector, to: id, by: caller, scope: scope, source: source)
        case .merge(let other):
            try await merge(other, into: id, by: caller, scope: scope, source: source)
        case .unmerge(let other):
            try await unmerge(other, from: id, by: caller, scope: scope, source: source)
        case .transfer(let selector):
            try await transfer(selector, to: id, by: caller, scope: scope, source: source)
        case .grant(let request):
            try await grant(request, to: id, by: caller, scope: scope, source: source)
        }
    }
}

extension CustomerChange {
    /// Reads the body of a request.
    /// - Throws: `posting_malformed`.
    package init(_ kind: Kind, body: JSONView) throws(CustomerError) {
        self =
            switch kind {
            case .identify: try Self.identify(body)
            case .link: .link(try SubscriptionSelector(body: body))
            case .merge: .merge(try MergedCustomer(body: body))
            case .unmerge: .unmerge(try MergedCustomer(body: body))
            case .transfer: .transfer(try SubscriptionSelector(body: body))
            case .grant: .grant(try GrantRequest(body: body))
            }
    }

    private static func identify(_ body: JSONView) throws(CustomerError) -> CustomerChange {
        try body.requireMembers(["handle", "merge"])
        guard let handle = try body.text(of: "handle") else {
            throw .malformed("handle", expected: "the handle of an anonymous customer", found: "none")
        }
        return .identify(handle: handle, merge: try body.flag(of: "merge"))
    }

    /// The body of the request.
    package var body: JSONValue {
        switch self {
        case .identify(let handle, let merge): .object(["handle": .string(handle), "merge": .bool(merge)])
        case .link(let selector), .transfer(let selector):
            .object([
                "subscription": .string(selector.originalTransactionId),
                "environment": JSONValue(selector.environment?.rawValue), "bundleId": JSONValue(selector.bundleId),
            ])
        case .grant(let request): request.json
        case .merge(.id(let id)), .unmerge(.id(let id)): .object(["from": .string(id)])
        case .merge(.handle(let handle)), .unmerge(.handle(let handle)): .object(["handle": .string(handle)])
        }
    }
}

extension SubscriptionSelector {
    fileprivate init(body: JSONView) throws(CustomerError) {
        try body.requireMembers(["subscription", "environment", "bundleId"])
        let text = try body.text(of: "subscription")
        guard let id = text, !id.isEmpty else {
            throw .malformed(
                "subscription", expected: "an originalTransactionId", found: text == nil ? "none" : "an empty string")
        }
        let name = try body.text(of: "environment")
        let environment = name.flatMap { Environment(known: $0) }
        if let name, environment == nil {
            throw .malformed(
                "environment", expected: Environment.known.map(\.rawValue).joined(separator: ", "),
                found: name)
        }
        self.init(originalTransactionId: id, environment: environment, bundleId: try body.text(of: "bundleId"))
    }
}

extension MergedCustomer {
    fileprivate init(body: JSONView) throws(CustomerError) {
        try body.requireMembers(["from", "handle"])
        switch (try body.text(of: "from"), try body.text(of: "handle")) {
        case (let id?, nil): self = .id(id)
        case (nil, let handle?): self = .handle(handle)
        case (nil, nil): throw .malformed("the body", expected: "either from or handle", found: "neither")
        default: throw .malformed("the body", expected: "either from or handle", found: "both")
        }
    }
}
