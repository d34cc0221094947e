import AppStoreModel
package import AppStoreVerification
package import LedgerConfiguration

/// What must not be open to a network: a ledger without keys, and one that takes what no App Store has signed.
package enum ListenerPolicy {
    /// - Throws: `ConfigurationError`.
    package static func check(
        host: String, keys: [APIKey], trust: TrustPolicy
    ) throws(ConfigurationError) {
        guard !isLoopback(host) else { return }
        guard !keys.isEmpty else {
            throw ConfigurationError(
                "http.host", "without API keys the ledger is open to whoever reaches it",
                expected: "127.0.0.1, or apiKeys", found: host,
                hint: "Configure apiKeys, and let a proxy with TLS stand in front.")
        }
        let environments = trust.apps.reduce(trust.environments) { $0.union($1.environments ?? []) }
        guard !environments.contains(where: \.isLocal) else {
            throw ConfigurationError(
                "http.host", "Xcode and LocalTesting are signed on developers' machines",
                expected: "127.0.0.1, or neither environment", found: host)
        }
    }

    /// Whether only this machine can reach a listener there: `localhost` (RFC 6761 §6.3), 127.0.0.0/8, ::1.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}
