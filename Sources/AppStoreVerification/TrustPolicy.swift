package import AppStoreModel
package import Primitives

/// The trusted signers and the required values of claims. A claim without a configured value is not checked.
package struct TrustPolicy: Sendable {
    /// The accepted apps; when empty, neither bundleId nor appAppleId is checked.
    package var apps: [App]
    /// The accepted environments, unless an app has its own.
    package var environments: Set<Environment>
    /// Roots in addition to Apple's pinned roots, never instead of them.
    package var configuredRoots: [ConfiguredRoot]
    package var deniedCertificates: [DeniedCertificate]

    package init(
        apps: [App] = [], environments: Set<Environment> = [.production, .sandbox],
        configuredRoots: [ConfiguredRoot] = [], deniedCertificates: [DeniedCertificate] = []
    ) {
        self.apps = apps
        self.environments = environments
        self.configuredRoots = configuredRoots
        self.deniedCertificates = deniedCertificates
    }

    package struct App: Sendable, Hashable {
        package let bundleId: String
        package let appAppleId: Int64?
        /// Nil for those of the policy.
        package let environments: Set<Environment>?

        package init(bundleId: String, appAppleId: Int64? = nil, environments: Set<Environment>? = nil) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
            self.environments = environments
        }
    }

    /// A leaked certificate. Signatures from the instant `from` on are refused.
    package struct DeniedCertificate: Sendable, Hashable {
        package let fingerprint: Digest
        package let from: Instant

        package init(fingerprint: Digest, from: Instant) {
            self.fingerprint = fingerprint
            self.from = from
        }
    }

    func environments(of bundleId: String?) -> Set<Environment> {
        apps.first { $0.bundleId == bundleId }?.environments ?? environments
    }
}
