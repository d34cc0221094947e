import AppStoreModel

/// In Production, appAppleId must be the app's. Elsewhere Apple may omit it; if present, it must be the app's.
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
                .appAppleIdMismatch, "the payload belongs to another app", expected: "appAppleId \(expected)",
                found: appAppleId.map { "\($0)" } ?? "none")
        }
        return ClaimChecks(appAppleIdNotChecked: false)
    }
}
