import AppStoreModel
import Primitives

extension Settings {
    private static let rates = 1...1_000_000
    /// Events contain the name, and have at most 4 KiB.
    private static let nameByteLimit = 64

    static func apiKeys(_ value: YAMLValue) throws(ConfigurationError) -> [APIKey] {
        var keys: [APIKey] = []
        for element in try value.elements() {
            var members = try YAMLMapping(element)
            let name = try members.require("name")
            let role = try members.require("role").one(of: Role.self)
            let digest = try members.require("sha256")
            let callsPerSecond = try members.take("callsPerSecond")?.integer(in: rates)
            let burst = try members.take("burst")?.integer(in: rates)
            let bundleIds = try texts(members.take("bundleIds"))
            let environments = try keyEnvironments(members.take("environments"))
            try members.finish()
            guard let sha256 = Digest(hex: try digest.text()) else {
                throw digest.unexpected("the SHA-256 of a key, 64 hexadecimal digits")
            }
            let key = APIKey(
                name: try name.text(), role: role, digest: sha256, callsPerSecond: callsPerSecond, burst: burst,
                bundleIds: bundleIds, environments: environments)
            guard key.name.utf8.count <= nameByteLimit else {
                throw name.unexpected("a name of at most \(nameByteLimit) bytes")
            }
            guard !keys.contains(where: { $0.name == key.name }) else { throw name.unexpected("a unique name") }
            guard !keys.contains(where: { $0.digest == sha256 }) else { throw digest.unexpected("a unique key") }
            keys.append(key)
        }
        return keys
    }

    static func customerTokens(_ value: YAMLValue) throws(ConfigurationError) -> [CustomerTokenKey] {
        var keys: [CustomerTokenKey] = []
        for element in try value.elements() {
            var members = try YAMLMapping(element)
            let kid = try members.require("kid")
            let file = try members.require("publicKeyFile").text()
            try members.finish()
            let key = CustomerTokenKey(kid: try kid.text(), publicKeyFile: file)
            guard !keys.contains(where: { $0.kid == key.kid }) else { throw kid.unexpected("a unique kid") }
            keys.append(key)
        }
        return keys
    }

    private static func texts(_ value: YAMLValue?) throws(ConfigurationError) -> Set<String> {
        var texts: Set<String> = []
        for element in try value?.elements() ?? [] { texts.insert(try element.text()) }
        return texts
    }

    private static func keyEnvironments(_ value: YAMLValue?) throws(ConfigurationError) -> Set<Environment> {
        var environments: Set<Environment> = []
        for element in try value?.elements() ?? [] {
            guard let environment = Environment(known: try element.text()) else {
                throw element.unexpected(oneOf: Environment.known.map(\.rawValue))
            }
            environments.insert(environment)
        }
        return environments
    }
}
