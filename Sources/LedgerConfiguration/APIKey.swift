package import AppStoreModel
package import Primitives

/// An API key as it is configured: never the key, which only its holder has.
package struct APIKey: Hashable, Sendable {
    /// For people; unique. The ledger's own events name the key that caused them by it.
    package let name: String
    package let role: Role
    /// SHA-256 of the whole key, `sl_<role>_<43 base64url>`.
    package let digest: Digest
    /// Token bucket: sustained calls per second, and the most at once.
    package let callsPerSecond: Int
    package let burst: Int
    /// The apps the key is limited to; empty for every app.
    package let bundleIds: Set<String>
    /// The environments the key is limited to; empty for every environment.
    package let environments: Set<Environment>

    /// - Parameters:
    ///   - callsPerSecond: nil for 100 in the role app, else 1,000.
    ///   - burst: nil for twice the default of `callsPerSecond`.
    package init(
        name: String, role: Role, digest: Digest, callsPerSecond: Int? = nil, burst: Int? = nil,
        bundleIds: Set<String> = [], environments: Set<Environment> = []
    ) {
        self.name = name
        self.role = role
        self.digest = digest
        self.callsPerSecond = callsPerSecond ?? (role == .app ? 100 : 1_000)
        self.burst = burst ?? (role == .app ? 200 : 2_000)
        self.bundleIds = bundleIds
        self.environments = environments
    }
}

/// A public key that customer tokens are signed with.
package struct CustomerTokenKey: Hashable, Sendable {
    /// The key id in the header of the tokens.
    package let kid: String
    /// A PEM file of a P-256 public key.
    package var publicKeyFile: String

    package init(kid: String, publicKeyFile: String) {
        self.kid = kid
        self.publicKeyFile = publicKeyFile
    }
}
