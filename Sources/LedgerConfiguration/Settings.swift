package import AppStoreModel

/// The contents of a configuration file. Omitted members have their defaults.
package struct Settings: Sendable {
    package var data = "./data"
    package var http = HTTP()
    package var log = Log()
    /// Files of root certificates.
    package var trustRoots: [String] = []
    package var apps: [App] = []
    package var apiKeys: [APIKey] = []
    /// The public keys that verify customer tokens.
    package var customerTokens: [CustomerTokenKey] = []
    package var polling = Polling()
    package var consumption = Consumption()
    package var exports: [Export] = []
    package var logging = Logging()

    package init() {}

    package struct HTTP: Hashable, Sendable {
        package var host = "127.0.0.1"
        /// Zero selects any free port.
        package var port = 8080
        /// Whether the checkpoint and the tiles are readable without a key.
        package var publicTiles = false
        /// Whether the metrics need a key. Without one, they are readable by every caller of a loopback listener.
        package var metricsKey = true

        package init() {}
    }

    package struct Log: Hashable, Sendable {
        package var mapSizeBytes = 1 << 40
        /// The name in checkpoints; nil for the name that the log stores.
        package var origin: String?
        package var groupCommitEvents = 2_000
        package var quarantineItems = 10_000
        package var quarantineBytes = 256 * 1_024 * 1_024
    }

    package struct App: Hashable, Sendable {
        package var bundleId: String
        package var appAppleId: Int64?
        package var environments: Set<Environment>
        /// The key for the App Store Server API; nil without one.
        package var serverAPI: ServerAPI?
        /// The file with the app's shared secrets, one a line. The first is sent to verifyReceipt.
        package var sharedSecretFile: String?
        /// Nil for Apple's.
        package var verifyReceiptURL: String?
        /// Nil for `verifyReceiptURL`.
        package var verifyReceiptSandboxURL: String?

        package init(
            bundleId: String, appAppleId: Int64?, environments: Set<Environment>, serverAPI: ServerAPI? = nil
        ) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
            self.environments = environments
            self.serverAPI = serverAPI
        }

        /// Whether Apple may be asked about receipts of the app.
        package var usesVerifyReceipt: Bool { sharedSecretFile != nil || verifyReceiptURL != nil }
    }

    package struct ServerAPI: Hashable, Sendable {
        package var issuerId: String
        package var keyId: String
        /// The .p8 file.
        package var keyFile: String
        /// Nil for Apple's.
        package var baseURL: String?

        package init(issuerId: String, keyId: String, keyFile: String, baseURL: String? = nil) {
            self.issuerId = issuerId
            self.keyId = keyId
            self.keyFile = keyFile
            self.baseURL = baseURL
        }
    }

    package struct Logging: Hashable, Sendable {
        package var level = Level.info
        package var format = Format.json

        package init() {}

        package enum Level: String, CaseIterable, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }

        package enum Format: String, CaseIterable, Sendable {
            case json, text
        }
    }
}
