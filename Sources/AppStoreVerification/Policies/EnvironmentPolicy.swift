import AppStoreModel

/// The payload must name an accepted environment.
enum EnvironmentPolicy {
    static func check(_ environment: Environment?, allowed: Set<Environment>) throws(Refusal) {
        let expected = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        guard let environment else {
            throw Refusal(
                .claimMissing, "the payload has no environment", expected: "environment \(expected)", found: "none")
        }
        guard allowed.contains(environment) else {
            throw Refusal(
                .environmentMismatch, "the payload belongs to another environment", expected: expected,
                found: environment.rawValue)
        }
    }
}
