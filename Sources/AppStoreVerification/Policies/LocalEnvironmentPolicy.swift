import AppStoreModel

/// Data signed by Xcode proves nothing, so it is refused before its chain is looked at, unless both the environment
/// and the very certificate it is signed with were named.
enum LocalEnvironmentPolicy {
    static func check(_ environment: Environment?, allowed: Set<Environment>) throws(Refusal) {
        guard let environment, environment.isLocal, !allowed.contains(environment) else { return }
        throw Refusal(
            .environmentRefused, "local test data is not accepted",
            expected: allowed.map(\.rawValue).sorted().joined(separator: ", "), found: environment.rawValue)
    }
}
