import AppStoreModel
import LedgerConfiguration
import Primitives
import Testing

@Suite struct SettingsTests {
    @Test func `an empty file gives every default`() throws {
        let settings = try Settings(yaml: "", file: "f")
        #expect(settings.data == "./data")
        #expect(settings.http.host == "127.0.0.1")
        #expect(settings.http.port == 8080)
        #expect(!settings.http.publicTiles)
        #expect(settings.http.metricsKey)
        #expect(settings.log.mapSizeBytes == 1_099_511_627_776)
        #expect(settings.log.origin == nil)
        #expect(settings.log.groupCommitEvents == 2_000)
        #expect(settings.log.quarantineItems == 10_000)
        #expect(settings.log.quarantineBytes == 268_435_456)
        #expect(settings.logging.level == .info)
        #expect(settings.logging.format == .json)
        #expect(settings.trustRoots.isEmpty && settings.apps.isEmpty && settings.apiKeys.isEmpty)
    }

    @Test func `every member of the contract is known`() throws {
        let settings = try Settings(yaml: Self.whole, file: "subledger.yaml")
        #expect(settings.data == "/var/lib/subledger")
        #expect(settings.http.host == "::1")
        #expect(settings.http.port == 9000)
        #expect(settings.http.publicTiles)
        #expect(!settings.http.metricsKey)
        #expect(settings.log.mapSizeBytes == 8_589_934_592)
        #expect(settings.log.origin == "ledger.example/log")
        #expect(settings.log.groupCommitEvents == 500)
        #expect(settings.log.quarantineItems == 7)
        #expect(settings.log.quarantineBytes == 0)
        #expect(settings.trustRoots == ["test.der", "other.pem"])
        var app = Settings.App(
            bundleId: "com.example.app", appAppleId: 123, environments: [.production, .sandbox],
            serverAPI: Settings.ServerAPI(issuerId: "UUID", keyId: "ABC", keyFile: "k.p8"))
        (app.sharedSecretFile, app.verifyReceiptURL) = ("s.txt", "https://v.example")
        app.verifyReceiptSandboxURL = "http://localhost:1"
        #expect(
            settings.apps == [
                app,
                Settings.App(bundleId: "com.example.other", appAppleId: nil, environments: [.xcode]),
                Settings.App(bundleId: "com.example.third", appAppleId: nil, environments: [.production, .sandbox]),
            ])
        #expect(
            settings.apiKeys == [
                APIKey(
                    name: "web", role: .backend, digest: try #require(Digest(hex: String(repeating: "0f", count: 32))),
                    callsPerSecond: 5, burst: 9, bundleIds: ["com.example.app"], environments: [.sandbox])
            ])
        #expect(settings.customerTokens == [CustomerTokenKey(kid: "k1", publicKeyFile: "k1.pem")])
        var polling = Settings.Polling()
        (polling.enabled, polling.concurrency, polling.headroom) = (true, 3, 0.5)
        (polling.callsPerHour, polling.retryForDays) = (1_200, 30)
        (polling.afterPeriodEnd, polling.beforePeriodEnd) = (90_000, 43_200_000)
        polling.retry = [900_000, 172_800_000]
        #expect(settings.polling == polling)
        #expect(settings.logging.level == .debug)
        #expect(settings.logging.format == .text)
    }

    private static let whole = """
        data: /var/lib/subledger
        http:  {host: "::1", port: 9000, publicTiles: true, metricsKey: false}
        log:   {mapSizeBytes: 8589934592, origin: ledger.example/log, groupCommitEvents: 500, quarantineItems: 7, \
        quarantineBytes: 0}
        trust: {roots: [test.der, other.pem]}
        apps:
          - {bundleId: com.example.app, appAppleId: 123, environments: [Production, Sandbox], sharedSecretFile: s.txt,
             serverAPI: {issuerId: UUID, keyId: ABC, keyFile: k.p8, baseURL: null}, verifyReceiptURL: "https://v.example",
             verifyReceiptSandboxURL: "http://localhost:1"}
          - bundleId: com.example.other
            appAppleId: null
            environments: [Xcode]
          - bundleId: com.example.third
        apiKeys:
          - {name: web, role: backend, sha256: "\(String(repeating: "0F", count: 32))", callsPerSecond: 5, burst: 9,
             bundleIds: [com.example.app], environments: [Sandbox]}
        customerTokens: [{kid: k1, publicKeyFile: k1.pem}]
        polling: {enabled: true, concurrency: 3, callsPerHour: 1200, headroom: 0.5, afterPeriodEnd: 90s, \
        beforePeriodEnd: 12h, retry: [15m, 2d], retryForDays: 30}
        logging: {level: debug, format: text}
        """
}
