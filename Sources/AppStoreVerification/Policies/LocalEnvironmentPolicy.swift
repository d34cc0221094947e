import AppStoreModel

/// Data signed by Xcode proves nothing. It is refused before its chain is checked, unless its environment is accepted.
/// `ChainPolicy` then requires a configured certificate with the signing key.
enum LocalEnvironmentPolicy {
    static func check(_ environment: Environment?, allowed: Set<Environment>) throws(Refusal) {
        guard let environment, environment.isLocal, !allowed.contains(environment) else { return }
        throw Refusal(
            .environmentRefused, "local test data is not accepted",
            expected: allowed.map(\.rawValue).sorted().joined(separator: ", "), found: environment.rawValue)
    }
}
