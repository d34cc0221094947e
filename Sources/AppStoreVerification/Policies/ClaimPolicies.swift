import AppStoreModel

/// The payload must be about one of our apps.
enum BundlePolicy {
    static func check(_ bundleId: String?, apps: [TrustPolicy.App]) throws(Refusal) {
        guard !apps.isEmpty else { return }
        guard let bundleId else {
            throw Refusal(.claimMissing, "the payload names no app", expected: "bundleId", found: "none")
        }
        guard apps.contains(where: { $0.bundleId == bundleId }) else {
            throw Refusal(
                .bundleMismatch, "the payload is about another app",
                expected: apps.map(\.bundleId).joined(separator: ", "), found: bundleId)
        }
    }
}

/// In Production appAppleId must be the app's; elsewhere Apple sends it at will, and it must be right if present.
enum AppAppleIdPolicy {
    static func check(
        _ appAppleId: Int64?, bundleId: String?, environment: Environment?, apps: [TrustPolicy.App]
    ) throws(Refusal) -> ClaimChecks {
        let isProduction = environment == .production
        guard let expected = apps.first(where: { $0.bundleId == bundleId })?.appAppleId else {
            return ClaimChecks(appAppleIdNotChecked: isProduction)
        }
        if appAppleId == nil, !isProduction { return ClaimChecks(appAppleIdNotChecked: false) }
        guard appAppleId == expected else {
            throw Refusal(
                .appAppleIdMismatch, "the payload is about another app", expected: "appAppleId \(expected)",
                found: appAppleId.map { "\($0)" } ?? "none")
        }
        return ClaimChecks(appAppleIdNotChecked: false)
    }
}

/// The environment must be named, and be one that is accepted.
enum EnvironmentPolicy {
    static func check(_ environment: Environment?, allowed: Set<Environment>) throws(Refusal) {
        let expected = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        guard let environment else {
            throw Refusal(
                .claimMissing, "the payload names no environment", expected: "environment \(expected)", found: "none")
        }
        guard allowed.contains(environment) else {
            throw Refusal(
                .environmentMismatch, "the payload is from another environment", expected: expected,
                found: environment.rawValue)
        }
    }
}
