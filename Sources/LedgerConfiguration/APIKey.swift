package import AppStoreModel
package import Primitives

/// The configuration of an API key. It never contains the key itself, which only its holder has.
package struct APIKey: Hashable, Sendable {
    /// A unique name for people. The ledger's own events use it to name the key that caused them.
    package let name: String
    package let role: Role
    /// SHA-256 of the whole key, `sl_<role>_<43 base64url>`.
    package let digest: Digest
    /// Token bucket: `callsPerSecond` tokens per second, at most `burst` at once.
    package let callsPerSecond: Int
    package let burst: Int
    /// The apps the key is limited to; empty for every app.
    package let bundleIds: Set<String>
    /// The environments the key is limited to; empty for every environment.
    package let environments: Set<Environment>

    /// - Parameters:
    ///   - callsPerSecond: nil for 100 in the role app, else for 1,000.
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

/// A public key that verifies customer tokens.
package struct CustomerTokenKey: Hashable, Sendable {
    /// The key id in the header of the tokens.
    package let kid: String
    /// The path of a PEM file with a P-256 public key.
    package var publicKeyFile: String

    package init(kid: String, publicKeyFile: String) {
        self.kid = kid
        self.publicKeyFile = publicKeyFile
    }
}
