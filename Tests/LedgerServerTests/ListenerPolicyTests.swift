import AppStoreModel
import AppStoreVerification
import LedgerConfiguration
import LedgerServer
import Testing

@Suite struct ListenerPolicyTests {
    private static func http(_ host: String, metricsKey: Bool = true) -> Settings.HTTP {
        var http = Settings.HTTP()
        http.host = host
        http.metricsKey = metricsKey
        return http
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("localhost", true), ("0.0.0.0", false),
            ("::", false), ("10.0.0.1", false), ("127.0.0.1.example.com", false), ("127.0.0", false),
            ("127.0.0.256", false), ("127.0.0.", false), ("localhost.example.com", false), ("", false),
            ("ledger.example", false),
        ])
    func `the loopback is told apart`(_ host: String, _ isLoopback: Bool) {
        #expect(ListenerPolicy.isLoopback(host) == isLoopback)
    }

    @Test func `without keys only the loopback is listened on`() throws {
        try ListenerPolicy.check(Self.http("127.0.0.1"), keys: [], trust: TrustPolicy())
        try ListenerPolicy.check(Self.http("0.0.0.0"), keys: [TestKey(.admin).configured], trust: TrustPolicy())
        #expect(throws: ConfigurationError.self) {
            try ListenerPolicy.check(Self.http("0.0.0.0"), keys: [], trust: TrustPolicy())
        }
    }

    @Test func `metrics without a key are served on the loopback only`() throws {
        let keys = [TestKey(.admin).configured]
        try ListenerPolicy.check(Self.http("127.0.0.1", metricsKey: false), keys: keys, trust: TrustPolicy())
        let error = #expect(throws: ConfigurationError.self) {
            try ListenerPolicy.check(Self.http("0.0.0.0", metricsKey: false), keys: keys, trust: TrustPolicy())
        }
        #expect(error?.place == "http.metricsKey")
    }

    @Test(arguments: [Environment.xcode, .localTesting])
    func `what developers' machines sign is taken on the loopback only`(_ environment: Environment) throws {
        let keys = [TestKey(.admin).configured]
        let app = TrustPolicy.App(bundleId: "com.example.app", environments: [environment])
        for trust in [TrustPolicy(environments: [.sandbox, environment]), TrustPolicy(apps: [app])] {
            try ListenerPolicy.check(Self.http("localhost"), keys: keys, trust: trust)
            #expect(throws: ConfigurationError.self) {
                try ListenerPolicy.check(Self.http("192.0.2.1"), keys: keys, trust: trust)
            }
        }
    }

    @Test func `a server that must not listen is not made`() throws {
        let test = try TestLedger()
        var configuration = LedgerServer.Configuration()
        configuration.http.host = "0.0.0.0"
        #expect(throws: ConfigurationError.self) {
            try LedgerServer(test.ledger, configuration, logger: test.log.logger())
        }
    }
}
