import AppStoreModel
import AppStoreVerification
import ArgumentParser
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

    func policy() throws -> TrustPolicy {
        var policy = TrustPolicy(apps: bundleIds.map { TrustPolicy.App(bundleId: $0, appAppleId: appAppleId) })
        if !environments.isEmpty { policy.environments = Set(environments) }
        policy.configuredRoots = try Self.roots(trustRoots)
        return policy
    }

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
