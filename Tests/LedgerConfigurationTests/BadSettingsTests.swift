import LedgerConfiguration
import Primitives
import Testing

/// An invalid file, and the place of its error.
struct BadSettings: CustomTestStringConvertible, Sendable {
    let yaml: String
    let place: String
    /// A part of the error message.
    let words: String

    var testDescription: String { yaml }

    init(_ yaml: String, at place: String, _ words: String) {
        self.yaml = yaml
        self.place = "f:" + place
        self.words = words
    }

    func expectRefusal() {
        let error = #expect(throws: ConfigurationError.self) { _ = try Settings(yaml: yaml, file: "f") }
        guard let error else { return }
        #expect(error.place == place)
        let told = [error.message, error.expected, error.found].compactMap(\.self).joined(separator: " | ")
        #expect(told.contains(words), "\(told)")
    }
}

@Suite struct BadSettingsTests {
    @Test(
        arguments: [
            BadSettings("dat: x", at: "1:1", "dat is unknown"),
            BadSettings("http:\n  host: h\n  prot: 1", at: "3:3", "http.prot is unknown"),
            BadSettings("log: {origin: a/b, size: 3}", at: "1:20", "log.size is unknown"),
            BadSettings("trust: {root: []}", at: "1:9", "trust.root is unknown"),
            BadSettings("apps: [{bundleId: a, appleId: 3}]", at: "1:22", "apps[0].appleId is unknown"),
            BadSettings(
                "apiKeys: [{name: a, role: app, sha256: \(digest), key: x}]", at: "1:106", "apiKeys[0].key is unknown"),
            BadSettings("polling: {often: true}", at: "1:11", "polling.often is unknown"),
            BadSettings("logging: {colour: no}", at: "1:11", "logging.colour is unknown"),
            BadSettings(
                "apps: [{bundleId: a, serverAPI: {issuerId: a, keyId: b, keyFile: c, x: d}}]", at: "1:69",
                "apps[0].serverAPI.x is unknown"),
        ])
    func `an unknown key is refused where it stands`(_ bad: BadSettings) {
        bad.expectRefusal()
    }

    @Test(
        arguments: [
            BadSettings("[]", at: "1:1", "a mapping"),
            BadSettings("text", at: "1:1", "a mapping"),
            BadSettings("data: [a]", at: "1:7", "a text"),
            BadSettings("http: 8080", at: "1:7", "a mapping"),
            BadSettings("http: {port: 65536}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {port: -1}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {port: \"80\"}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {port: 0x50}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {port: 8_080}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {port: 080}", at: "1:14", "an integer from 0 to 65535"),
            BadSettings("http: {publicTiles: yes}", at: "1:21", "true or false"),
            BadSettings("log: {mapSizeBytes: 4096}", at: "1:21", "an integer from 1048576"),
            BadSettings("log: {mapSizeBytes: 1048577}", at: "1:21", "a multiple of 4096"),
            BadSettings("log: {origin: a b}", at: "1:15", "a name without white space"),
            BadSettings("log: {groupCommitEvents: 0}", at: "1:26", "an integer from 1 to 8192"),
            BadSettings("trust: {roots: a.der}", at: "1:16", "a list"),
            BadSettings("trust: {roots: [{}]}", at: "1:17", "a text"),
            BadSettings("apps: [{appAppleId: 3}]", at: "1:8", "bundleId"),
            BadSettings("apps: [{bundleId: a, appAppleId: 0}]", at: "1:34", "an integer from 1"),
            BadSettings("apps: [{bundleId: a, environments: [Prod]}]", at: "1:37", "one of Production, Sandbox"),
            BadSettings("apps: [{bundleId: a, environments: []}]", at: "1:36", "at least one environment"),
            BadSettings("apps:\n- bundleId: a\n- bundleId: a", at: "3:13", "a unique bundleId"),
            BadSettings("apps: [{bundleId: a, verifyReceiptURL: ftp}]", at: "1:40", "a URL"),
            BadSettings("apps: [{bundleId: a, verifyReceiptURL: http://v.example}]", at: "1:40", "a URL with https"),
            BadSettings(
                "apps: [{bundleId: a, verifyReceiptSandboxURL: http://v.example}]", at: "1:47", "a URL with https"),
            BadSettings("apps: [{bundleId: a, serverAPI: {keyId: b}}]", at: "1:33", "issuerId"),
            BadSettings("apiKeys: [{name: a, role: root, sha256: \(digest)}]", at: "1:27", "one of app, backend"),
            BadSettings("apiKeys: [{name: a, role: app, sha256: abc}]", at: "1:40", "64 hexadecimal digits"),
            BadSettings("customerTokens: [{kid: a}]", at: "1:18", "publicKeyFile"),
            BadSettings(
                "customerTokens: [{kid: a, publicKeyFile: f}, {kid: a, publicKeyFile: g}]", at: "1:52", "a unique kid"),
            BadSettings("apiKeys: [{name: a, role: app}]", at: "1:11", "sha256"),
            BadSettings(
                "apiKeys:\n- {name: a, role: app, sha256: \(digest)}\n- {name: a, role: app, sha256: \(other)}",
                at: "3:10", "a unique name"),
            BadSettings(
                "apiKeys:\n- {name: a, role: app, sha256: \(digest)}\n- {name: b, role: app, sha256: \(digest)}",
                at: "3:32", "a unique key"),
            BadSettings("consumption: {enabled: maybe}", at: "1:24", "true or false"),
            BadSettings("consumption: {refundPreference: SOME}", at: "1:33", "DECLINE, GRANT_FULL, GRANT_PRORATED"),
            BadSettings("polling: {headroom: 2}", at: "1:21", "a number from"),
            BadSettings("polling: {afterPeriodEnd: 60}", at: "1:27", "a time span"),
            BadSettings("polling: {retry: [1h, 2w]}", at: "1:23", "a time span"),
            BadSettings("logging: {level: loud}", at: "1:18", "one of trace, debug"),
        ])
    func `a bad value is refused where it stands`(_ bad: BadSettings) {
        bad.expectRefusal()
    }

    @Test(
        arguments: [
            BadSettings("http: {port: 1", at: "2:1", "not valid YAML"),
            BadSettings("a: b: c", at: "1:5", "not valid YAML"),
            BadSettings("data: a\ndata: b", at: "1:1", "duplicate key"),
            BadSettings("data: a\n---\ndata: b", at: "2:1", "not valid YAML"),
        ])
    func `what is not one YAML document is refused where it ends to be`(_ bad: BadSettings) {
        bad.expectRefusal()
    }
}

private let digest = String(repeating: "ab", count: 32)
private let other = String(repeating: "cd", count: 32)
