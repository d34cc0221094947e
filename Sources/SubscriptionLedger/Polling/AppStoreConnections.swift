package import AppStoreClient
import AppStoreModel
import AsyncHTTPClient
package import LedgerConfiguration
import LedgerStorage
package import Primitives

/// The connections of the configured apps. Each has its own key; all share a budget.
package final class AppStoreConnections: Sendable {
    package let all: [AppStoreConnection]
    /// Those of verifyReceipt, for apps with a shared secret or a URL of it.
    package let receipts: [VerifyReceiptConnection]
    /// The keys by bundle id.
    package let credentials: [String: ServerAPICredentials]
    private let transport: HTTPClient

    private static let keyFileLimit = 64 * 1_024

    /// - Throws: `ConfigurationError` for a key or a shared secret that cannot be read.
    package init(_ settings: Settings, clock: @escaping @Sendable () -> Instant) throws {
        let budget = SharedBudget(callsPerHour: settings.polling.callsPerHour, headroom: settings.polling.headroom)
        let transport = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: ServerAPIClient.transportConfiguration)
        self.transport = transport
        do {
            var keys: [String: ServerAPICredentials] = [:]
            all = try settings.apps.flatMap { app in
                guard let access = app.serverAPI else { return [AppStoreConnection]() }
                let credentials = try Self.credentials(access, of: app)
                keys[app.bundleId] = credentials
                return app.askedEnvironments.map { environment in
                    let app = CallBudget.App(bundleId: app.bundleId, environment: environment)
                    let configuration = ServerAPIClient.Configuration(
                        environment, baseURL: access.baseURL, clock: clock)
                    let client = ServerAPIClient(credentials, configuration, transport: transport)
                    return AppStoreConnection(app, within: budget, clock: clock) {
                        try await client.send($0, mayRepeat: $1)
                    }
                }
            }
            credentials = keys
            let secrets = try SharedSecretFiles.secrets(of: settings.apps)
            receipts = settings.apps.filter(\.usesVerifyReceipt).flatMap { app in
                let configuration = VerifyReceiptClient.Configuration(
                    url: app.verifyReceiptURL, sandboxURL: app.verifyReceiptSandboxURL, clock: clock)
                let client = VerifyReceiptClient(
                    secret: secrets[app.bundleId]?.first, configuration, transport: transport)
                return app.askedEnvironments.map { environment in
                    VerifyReceiptConnection(
                        CallBudget.App(bundleId: app.bundleId, environment: environment), within: budget, clock: clock,
                        send: client.send)
                }
            }
        } catch {
            try? transport.syncShutdown()
            throw error
        }
    }

    /// Ends the connections. No call may follow.
    package func shutdown() async {
        try? await transport.shutdown()
    }

    private static func credentials(
        _ access: Settings.ServerAPI, of app: Settings.App
    ) throws -> ServerAPICredentials {
        let pem: String
        do {
            pem = String(decoding: try InputFile.bytes(of: access.keyFile, limit: keyFileLimit), as: UTF8.self)
        } catch {
            throw ConfigurationError(
                "apps.serverAPI.keyFile", "the key file of \(app.bundleId) cannot be read", found: error.reason)
        }
        do {
            return try ServerAPICredentials(
                issuerId: access.issuerId, keyId: access.keyId, bundleId: app.bundleId, privateKeyPEM: pem)
        } catch {
            throw ConfigurationError(
                "apps.serverAPI.keyFile", "invalid App Store Server API key for \(app.bundleId)",
                expected: "the .p8 file that App Store Connect gives once", found: access.keyFile)
        }
    }
}

extension Settings.App {
    /// Whether anything can be asked about the app.
    package var isAskable: Bool { serverAPI != nil || usesVerifyReceipt }

    /// The environments that Apple's servers know.
    fileprivate var askedEnvironments: [Environment] {
        environments.intersection([.production, .sandbox]).sorted { $0.rawValue < $1.rawValue }
    }
}
