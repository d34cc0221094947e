package import LedgerConfiguration

/// Who may use a route.
package enum Access: Hashable, Sendable {
    /// No key is asked for.
    case anybody
    /// The holders of keys of these roles.
    case only(Set<Role>)

    static let posting = Access.only([.app, .backend, .admin])
    static let customers = Access.only([.backend, .auditor, .admin])
    static let identifying = Access.only([.backend, .admin])
    static let feeds = Access.only([.backend, .analyst, .auditor, .admin])
    static let auditing = Access.only([.auditor, .admin])
}
