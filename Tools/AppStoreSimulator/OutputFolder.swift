import AppStoreModel
import AppStoreSimulation
import FoundationEssentials
import Primitives

/// The folder with what a developer gets from Apple: the root certificates, the key for the Server API, the shared
/// secret, and the products.
package struct OutputFolder: Sendable {
    package let path: String

    /// Creates the folder if it is missing.
    package init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    package func write(_ store: SimulatedAppStore, _ credentials: APICredentials, baseURL: String) throws {
        try write(store.signers.rootCertificate, to: "root.der")
        try write(ReceiptSigner.standard.rootCertificate, to: "receipt-root.der")
        try write(Array((store.configuration.sharedSecret + "\n").utf8), to: "shared-secret", isSecret: true)
        try write(Array(credentials.privateKeyPEM.utf8) + [UInt8(ascii: "\n")], to: "api-key.p8", isSecret: true)
        try write(Array(store.app.catalog.yaml(bundleId: store.app.bundleId).utf8), to: "catalog.yaml")
        let api = JSONValue.object([
            "issuerId": .string(credentials.issuerId), "keyId": .string(credentials.keyId),
            "bundleId": .string(credentials.bundleId), "appAppleId": store.app.appAppleId.map { .integer($0) } ?? .null,
            "environment": .string(store.app.environment.rawValue), "baseURL": .string(baseURL),
            "verifyReceiptURL": .string(baseURL + VerifyReceiptRoute.path),
            "productionVerifyReceiptURL": .string(baseURL + VerifyReceiptRoute.path(of: .production)),
            "sandboxVerifyReceiptURL": .string(baseURL + VerifyReceiptRoute.path(of: .sandbox)),
            "sharedSecret": .string(store.configuration.sharedSecret),
        ])
        try write(Array((api.serialized() + "\n").utf8), to: "api.json")
    }

    private func write(_ bytes: [UInt8], to name: String, isSecret: Bool = false) throws {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file), options: .atomic)
        if isSecret { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file) }
    }
}
