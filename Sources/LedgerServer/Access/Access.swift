package import LedgerConfiguration

/// The callers that may use a route.
package enum Access: Hashable, Sendable {
    /// No key is required.
    case anybody
    /// The holders of a key with one of these roles.
    case only(Set<Role>)

    static let posting = Access.only([.app, .backend, .admin])
    static let customers = Access.only([.backend, .analyst, .auditor, .admin])
    static let importing = Access.only([.backend, .admin])
    static let identifying = Access.only([.backend, .admin])
    static let administration = Access.only([.admin])
    static let feeds = Access.only([.backend, .analyst, .auditor, .admin])
    static let analyses = Access.only([.analyst, .auditor, .admin])
    static let metrics = Access.only([.analyst, .auditor, .admin])
    static let auditing = Access.only([.auditor, .admin])
}
