package import HTTPTypes
package import Hummingbird
package import LedgerConfiguration
import SubscriptionLedger

/// A route: its method and path, its access policy, and its response.
package protocol Route: Sendable {
    var method: HTTPRequest.Method { get }
    /// The path with its parameters in braces, as used in the specification, logs and metrics.
    var template: String { get }
    /// The same path in the router's form.
    var pattern: RouterPath { get }
    var access: Access { get }
    /// Whether the route applies the key's limits to apps and environments. Other routes reject limited keys.
    var heedsKeyLimits: Bool { get }

    /// - Throws: `Problem`, or any error of the ledger.
    func respond(to call: RouteRequest) async throws -> Response
}

extension Route {
    package var pattern: RouterPath { RouterPath(template) }
    package var heedsKeyLimits: Bool { false }
}

/// A call of a route.
package struct RouteRequest: Sendable {
    package let request: Request
    package let parameters: Parameters
    let admission: Admission
    /// The presence of the client; nil without a connection.
    let client: ClientPresence?
    /// The time of arrival.
    package let start: ContinuousClock.Instant

    /// The role of the caller; nil on a route for anybody.
    package var role: Role? { admission.role }

    /// The caller as represented in the ledger.
    var caller: Caller {
        let role: Caller.Role =
            switch admission.role {
            case .admin: .admin
            case .backend, .analyst, .auditor: .backend
            case .app, nil: .app
            }
        return Caller(role, keyName: admission.key?.name, limits: limits)
    }

    var limits: KeyLimits {
        KeyLimits(bundleIds: admission.key?.bundleIds ?? [], environments: admission.key?.environments ?? [])
    }
}
