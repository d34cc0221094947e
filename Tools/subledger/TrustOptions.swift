import AppStoreModel
import AppStoreVerification
import ArgumentParser
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger

/// The accepted apps, environments and roots.
struct TrustOptions: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: "Bundle id to accept (repeatable).")
    var bundleIds: [String] = []

    @Option(
        name: .customLong("app-apple-id"), help: "Apple ID of the app. If given, production payloads must match it.")
    var appAppleId: Int64?

    @Option(
        name: .customLong("environment"),
        help: "Environment to accept (repeatable): Production, Sandbox, Xcode or LocalTesting.")
    var environments: [Environment] = []

    @Option(
        name: .customLong("trust-root"), help: "PEM or DER root certificate to trust besides Apple's (repeatable).")
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

    /// Returns the policy of commands without trust options.
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
            throw CommandFailure(usage: "--app-apple-id requires --bundle-id unless exactly one app is configured")
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
                    code: "usage", message: "the trust root \(path) cannot be read", found: failure.reason,
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
