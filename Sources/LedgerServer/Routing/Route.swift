package import HTTPTypes
package import Hummingbird
package import LedgerConfiguration
import SubscriptionLedger

/// One route: what it is called, who may use it, and its answer.
package protocol Route: Sendable {
    var method: HTTPRequest.Method { get }
    /// The path with its parameters in braces, by which the specification, logs and metrics know it.
    var template: String { get }
    /// The same as the router reads it.
    var pattern: RouterPath { get }
    var access: Access { get }
    /// Whether it shows and takes only what the key's apps and environments allow; other routes refuse limited keys.
    var heedsKeyLimits: Bool { get }

    /// - Throws: `Problem`, and whatever the ledger throws.
    func respond(to call: Call) async throws -> Response
}

extension Route {
    package var pattern: RouterPath { RouterPath(template) }
    package var heedsKeyLimits: Bool { false }
}

/// One call of a route.
package struct Call: Sendable {
    package let request: Request
    package let parameters: Parameters
    let admission: Admission
    /// When it came in.
    package let start: ContinuousClock.Instant

    /// The role in which it is made; nil on a route for anybody.
    package var role: Role? { admission.role }

    /// The caller as the ledger knows them.
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
