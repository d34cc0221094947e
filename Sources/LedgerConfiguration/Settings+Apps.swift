import AppStoreModel

extension Settings {
    mutating func readApps(_ value: YAMLValue) throws(ConfigurationError) {
        for element in try value.elements() {
            var members = try YAMLMapping(element)
            let bundleId = try members.require("bundleId")
            var app = App(
                bundleId: try bundleId.text(), appAppleId: try Self.appAppleId(members.take("appAppleId")),
                environments: try Self.environments(members.take("environments")))
            app.serverAPI = try members.take("serverAPI").map(Self.serverAPI)
            app.sharedSecretFile = try members.take("sharedSecretFile")?.text()
            app.verifyReceiptURL = try members.take("verifyReceiptURL").map(Self.url)
            app.verifyReceiptSandboxURL = try members.take("verifyReceiptSandboxURL").map(Self.url)
            try members.finish()
            guard !apps.contains(where: { $0.bundleId == app.bundleId }) else {
                throw bundleId.unexpected("a unique bundleId")
            }
            apps.append(app)
        }
    }

    private static func appAppleId(_ value: YAMLValue?) throws(ConfigurationError) -> Int64? {
        guard let value else { return nil }
        return Int64(try value.integer(in: 1...Int.max))
    }

    private static func environments(_ value: YAMLValue?) throws(ConfigurationError) -> Set<Environment> {
        guard let value else { return [.production, .sandbox] }
        var environments: Set<Environment> = []
        for element in try value.elements() {
            guard let environment = Environment(known: try element.text()) else {
                throw element.unexpected(oneOf: Environment.known.map(\.rawValue))
            }
            environments.insert(environment)
        }
        guard !environments.isEmpty else { throw value.unexpected("at least one environment") }
        return environments
    }

    private static func serverAPI(_ value: YAMLValue) throws(ConfigurationError) -> ServerAPI {
        var members = try YAMLMapping(value)
        let (issuerId, keyId) = (try members.require("issuerId").text(), try members.require("keyId").text())
        var serverAPI = ServerAPI(issuerId: issuerId, keyId: keyId, keyFile: try members.require("keyFile").text())
        serverAPI.baseURL = try members.take("baseURL").map(url)
        try members.finish()
        return serverAPI
    }

    private static func url(_ value: YAMLValue) throws(ConfigurationError) -> String {
        let text = try value.text()
        // Tokens and secrets are sent there.
        let loopback = ["127.0.0.1", "localhost", "[::1]"].map { "http://" + $0 }
        let isLoopback = loopback.contains { text == $0 || text.hasPrefix($0 + ":") || text.hasPrefix($0 + "/") }
        guard text.hasPrefix("https://") || isLoopback else {
            throw value.unexpected("a URL with https, or with http on the loopback interface")
        }
        return text
    }
}
