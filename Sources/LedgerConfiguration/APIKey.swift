package import Primitives

/// An API key as it is configured: never the key, which only its holder has.
package struct APIKey: Hashable, Sendable {
    /// For people; unique.
    package let name: String
    package let role: Role
    /// SHA-256 of the whole key, `sl_<role>_<43 base64url>`.
    package let digest: Digest

    package init(name: String, role: Role, digest: Digest) {
        self.name = name
        self.role = role
        self.digest = digest
    }
}
