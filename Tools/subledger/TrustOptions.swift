import AppStoreModel
import AppStoreVerification
import ArgumentParser
import LedgerConfiguration
import SubscriptionLedger

/// The accepted apps, environments and roots.
struct TrustOptions: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: "Accepted bundle id (repeatable).")
    var bundleIds: [String] = []

    @Option(name: .customLong("app-apple-id"), help: "The app's Apple ID, compared in Production.")
    var appAppleId: Int64?

    @Option(
        name: .customLong("environment"),
        help: "Accepted environment (repeatable): Production, Sandbox, Xcode, LocalTesting.")
    var environments: [Environment] = []

    @Option(
        name: .customLong("trust-root"), help: "A root certificate to trust besides Apple's, PEM or DER (repeatable).")
    var trustRoots: [String] = []

    /// - Parameter settings: the values of missing options.
    func policy(over settings: Settings = Settings()) throws -> TrustPolicy {
        var policy = try Self.policy(of: settings)
        policy.apps = try apps(over: settings.apps)
        if !environments.isEmpty {
            policy.environments = Set(environments)
        } else if !bundleIds.isEmpty {
            policy.environments = TrustPolicy().environments
        }
        if !trustRoots.isEmpty { policy.configuredRoots = try Self.roots(trustRoots) }
        return policy
    }

    /// For commands that take no trust options.
    static func policy(of settings: Settings) throws -> TrustPolicy {
        var policy = TrustPolicy(
            apps: settings.apps.map {
                TrustPolicy.App(bundleId: $0.bundleId, appAppleId: $0.appAppleId, environments: $0.environments)
            })
        if !settings.apps.isEmpty {
            policy.environments = settings.apps.reduce(into: []) { $0.formUnion($1.environments) }
        }
        policy.configuredRoots = try roots(settings.trustRoots)
        return policy
    }

    private func apps(over configured: [Settings.App]) throws -> [TrustPolicy.App] {
        guard bundleIds.isEmpty else {
            return bundleIds.map { TrustPolicy.App(bundleId: $0, appAppleId: appAppleId) }
        }
        guard appAppleId == nil || configured.count == 1 else {
            throw CommandFailure(usage: "--app-apple-id needs --bundle-id when several apps or none are configured")
        }
        return configured.map { app in
            TrustPolicy.App(
                bundleId: app.bundleId, appAppleId: appAppleId ?? app.appAppleId,
                environments: environments.isEmpty ? app.environments : nil)
        }
    }

    /// The hint for `chain_untrusted`.
    static let rootHint = "Use --trust-root FILE to trust a root other than Apple's."

    static func roots(_ paths: [String]) throws -> [ConfiguredRoot] {
        try paths.map { path in
            do {
                return try ConfiguredRoot(file: InputFile.bytes(of: path, limit: certificateFileLimit))
            } catch let refusal as Refusal {
                throw CommandFailure(
                    code: refusal.code.rawValue, message: "\(path): \(refusal.reason)", expected: refusal.expected,
                    found: refusal.found, exitCode: CommandFailure.usage)
            } catch let failure as InputFailure {
                throw CommandFailure(
                    code: "usage", message: "the trust root \(path) was not read", found: failure.reason,
                    exitCode: CommandFailure.usage)
            }
        }
    }

    private static let certificateFileLimit = 64 * 1_024
}

extension Environment: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(rawValue: argument)
        guard Self.known.contains(self) else { return nil }
    }
}
