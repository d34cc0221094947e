import AppStoreModel

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
