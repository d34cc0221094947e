/// The payload must name a configured app.
enum BundlePolicy {
    static func check(_ bundleId: String?, apps: [TrustPolicy.App]) throws(Refusal) {
        guard !apps.isEmpty else { return }
        guard let bundleId else {
            throw Refusal(.claimMissing, "the payload has no bundleId", expected: "bundleId", found: "none")
        }
        guard apps.contains(where: { $0.bundleId == bundleId }) else {
            throw Refusal(
                .bundleMismatch, "the payload belongs to another app",
                expected: apps.map(\.bundleId).joined(separator: ", "), found: bundleId)
        }
    }
}
