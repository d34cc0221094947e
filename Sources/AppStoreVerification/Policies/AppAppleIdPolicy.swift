import AppStoreModel

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
