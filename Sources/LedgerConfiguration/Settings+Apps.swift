import AppStoreModel

extension Settings {
    mutating func readApps(_ value: YAMLValue) throws(ConfigurationError) {
        for element in try value.elements() {
            var members = try YAMLMapping(element)
            let bundleId = try members.require("bundleId")
            let app = App(
                bundleId: try bundleId.text(), appAppleId: try Self.appAppleId(members.take("appAppleId")),
                environments: try Self.environments(members.take("environments")))
            try noteSecrets(&members, of: element)
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

    /// Checks the form of the settings for calls to Apple and records them as unused: this version makes no such calls.
    private mutating func noteSecrets(
        _ members: inout YAMLMapping, of app: YAMLValue
    ) throws(ConfigurationError) {
        if let secret = members.take("sharedSecretFile") {
            _ = try secret.text()
            unused.append(secret.name)
        }
        if let url = members.take("verifyReceiptURL") {
            try Self.requireURL(url)
            unused.append(url.name)
        }
        if let serverAPI = members.take("serverAPI") {
            try Self.checkServerAPI(serverAPI)
            unused.append(serverAPI.name)
        }
    }

    private static func checkServerAPI(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        for key in ["issuerId", "keyId", "keyFile"] { _ = try members.require(key).text() }
        if let url = members.take("baseURL") { try requireURL(url) }
        try members.finish()
    }

    private static func requireURL(_ value: YAMLValue) throws(ConfigurationError) {
        let text = try value.text()
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            throw value.unexpected("a URL with http or https")
        }
    }
}
