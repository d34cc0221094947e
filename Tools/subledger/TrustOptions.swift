import AppStoreModel
import AppStoreVerification
import ArgumentParser
import LedgerConfiguration
import SubscriptionLedger

/// Whose signatures count, and what the claims must say.
struct TrustOptions: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: "A bundle id that payloads may be about (repeatable).")
    var bundleIds: [String] = []

    @Option(name: .customLong("app-apple-id"), help: "The app's Apple ID, compared in Production.")
    var appAppleId: Int64?

    @Option(
        name: .customLong("environment"),
        help: "An environment to accept (repeatable): Production, Sandbox, Xcode, LocalTesting.")
    var environments: [Environment] = []

    @Option(
        name: .customLong("trust-root"), help: "A root certificate to trust besides Apple's, PEM or DER (repeatable).")
    var trustRoots: [String] = []

    /// - Parameter settings: what holds where an option is not given.
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
            throw CommandFailure(
                code: "usage", message: "--app-apple-id says nothing of which app", expected: "--bundle-id with it",
                found: "none", exitCode: CommandFailure.usage)
        }
        return configured.map { app in
            TrustPolicy.App(
                bundleId: app.bundleId, appAppleId: appAppleId ?? app.appAppleId,
                environments: environments.isEmpty ? app.environments : nil)
        }
    }

    /// For people who are told `chain_untrusted`.
    static let rootHint = "A root other than Apple's is trusted with --trust-root FILE."

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
