import AppStoreModel
import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// An administrator's change of ownership, named like the subcommand of `customer`.
enum CustomerChange: String, CaseIterable, Sendable {
    case link, merge, unmerge, transfer
}

/// `POST /v1/customers/{id}/link|merge|unmerge|transfer`. The members of the body correspond to the command's options.
struct CustomerChangeRoute: Route {
    let method = HTTPRequest.Method.post
    let change: CustomerChange
    let access = Access.administration
    let context: RouteContext

    var template: String { "/v1/customers/{id}/\(change.rawValue)" }

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        let answer = try await apply(
            to: try call.pathParameter("id"), body, ledger: context.ledger, call.caller, scope)
        return .json(answer)
    }

    private func apply(
        to id: String, _ body: JSONView, ledger: LedgerWriter, _ caller: Caller, _ scope: CustomerScope
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        switch change {
        case .link:
            try await ledger.link(try Self.selector(body), to: id, by: caller, scope: scope, source: .http)
        case .transfer:
            try await ledger.transfer(try Self.selector(body), to: id, by: caller, scope: scope, source: .http)
        case .merge:
            try await ledger.merge(try Self.other(body), into: id, by: caller, scope: scope, source: .http)
        case .unmerge:
            try await ledger.unmerge(try Self.other(body), from: id, by: caller, scope: scope, source: .http)
        }
    }

    private static func selector(_ body: JSONView) throws(CustomerError) -> SubscriptionSelector {
        try body.requireMembers(["subscription", "environment", "bundleId"])
        let text = try body.text(of: "subscription")
        guard let id = text, !id.isEmpty else {
            throw .malformed(
                "subscription", expected: "an originalTransactionId", found: text == nil ? "none" : "an empty string")
        }
        let environmentName = try body.text(of: "environment")
        let environment = environmentName.flatMap { AppStoreModel.Environment(known: $0) }
        if let environmentName, environment == nil {
            throw .malformed(
                "environment", expected: AppStoreModel.Environment.known.map(\.rawValue).joined(separator: ", "),
                found: environmentName)
        }
        return SubscriptionSelector(
            originalTransactionId: id, environment: environment, bundleId: try body.text(of: "bundleId"))
    }

    private static func other(_ body: JSONView) throws(CustomerError) -> MergedCustomer {
        try body.requireMembers(["from", "handle"])
        switch (try body.text(of: "from"), try body.text(of: "handle")) {
        case (let id?, nil): return .id(id)
        case (nil, let handle?): return .handle(handle)
        case (nil, nil): throw .malformed("the body", expected: "either from or handle", found: "neither")
        default: throw .malformed("the body", expected: "either from or handle", found: "both")
        }
    }
}
