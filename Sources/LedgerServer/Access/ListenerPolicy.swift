import AppStoreModel
package import AppStoreVerification
package import LedgerConfiguration

/// Rejects listeners that must not be open to a network: a ledger without API keys, one whose metrics need no key, and
/// one that accepts artifacts not signed by the App Store.
package enum ListenerPolicy {
    /// - Throws: `ConfigurationError`.
    package static func check(
        _ http: Settings.HTTP, keys: [APIKey], trust: TrustPolicy
    ) throws(ConfigurationError) {
        let host = http.host
        guard !isLoopback(host) else { return }
        guard !keys.isEmpty else {
            throw ConfigurationError(
                "http.host", "a listener without API keys must use the loopback interface",
                expected: "127.0.0.1 or configured apiKeys", found: host,
                hint: "Configure apiKeys and run the service behind a TLS proxy.")
        }
        guard http.metricsKey else {
            throw ConfigurationError(
                "http.metricsKey", "a listener whose metrics need no key must use the loopback interface",
                expected: "127.0.0.1 or metricsKey: true", found: host)
        }
        let environments = trust.apps.reduce(trust.environments) { $0.union($1.environments ?? []) }
        guard !environments.contains(where: \.isLocal) else {
            throw ConfigurationError(
                "http.host", "a listener that accepts Xcode or LocalTesting must use the loopback interface",
                expected: "127.0.0.1 or neither environment", found: host)
        }
    }

    /// Whether only this machine can reach a listener at `host`: `localhost` (RFC 6761 §6.3), 127.0.0.0/8, ::1.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}
