package import HTTPTypes
package import Hummingbird
package import LedgerConfiguration

/// One route: what it is called, who may use it, and its answer.
package protocol Route: Sendable {
    var method: HTTPRequest.Method { get }
    /// The path with its parameters in braces, by which the specification, logs and metrics know it.
    var template: String { get }
    /// The same as the router reads it.
    var pattern: RouterPath { get }
    var access: Access { get }

    /// - Throws: `Problem`, and whatever the ledger throws.
    func respond(to call: Call) async throws -> Response
}

extension Route {
    package var pattern: RouterPath { RouterPath(template) }
}

/// One call of a route.
package struct Call: Sendable {
    package let request: Request
    package let parameters: Parameters
    /// In which role it is made; nil on a route for anybody.
    package let role: Role?
    /// When it came in.
    package let start: ContinuousClock.Instant
}
