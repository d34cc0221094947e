import EventLog
import Primitives
import Testing

@Suite struct Identities {
    /// An artifact, an environment and a key, and the first 16 bytes of SHA-256("subledger" 0x00 artifact environment
    /// key), computed independently.
    struct Vector: Sendable {
        let artifact: UInt8
        let environment: EnvironmentCode
        let key: [UInt8]
        let hex: String
    }

    static let digest = Hex.decode("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb") ?? []

    static let vectors = [
        Vector(artifact: 1, environment: .production, key: digest, hex: "d6ad142ee90238bc8aadda36c6678d4b"),
        Vector(artifact: 2, environment: .production, key: digest, hex: "30c4fc23f67957532b457700b6df6592"),
        Vector(artifact: 1, environment: .sandbox, key: digest, hex: "a73368170a29de573b102f5082c92c93"),
        Vector(artifact: 0, environment: .none, key: [], hex: "14925394ee9fc6bd625e44cb20f2e385"),
        Vector(artifact: 255, environment: .localTesting, key: [0], hex: "24558b76bfce269daf642fd74ca1b98a"),
        Vector(
            artifact: 10, environment: .none, key: Array("Schlüssel".utf8), hex: "de0eb635035a50331e71eabec8d03894"),
        Vector(
            artifact: 16, environment: .production, key: Array("order-4711".utf8),
            hex: "e2c96cd77f61bb60203a16808a8843ec"),
    ]

    @Test(arguments: vectors)
    func `is the first half of the hash that the contract names`(vector: Vector) {
        let idempotencyKey = IdempotencyKey(
            artifact: ArtifactCode(rawValue: vector.artifact), environment: vector.environment, key: vector.key)
        #expect(idempotencyKey.hex == vector.hex)
        #expect(Hex.encode(idempotencyKey.bytes) == vector.hex)
        #expect(idempotencyKey.bytes.count == IdempotencyKey.byteCount)
    }

    @Test func `of a notificationUUID counts per environment and bundle`() {
        let uuid = "15101c57-7b3d-49c2-8adf-74ac2740ea8c"
        let idempotencyKey = IdempotencyKey(notificationUUID: uuid, environment: .sandbox, bundleId: "com.example.app")
        #expect(idempotencyKey.hex == "5490c575cc74cf873b8eaa51392dbd29")
        #expect(
            IdempotencyKey(notificationUUID: "", environment: .none, bundleId: "").hex
                == "9b77e143d69ea2283ae18354cbba04fe")
        #expect(
            idempotencyKey
                != IdempotencyKey(notificationUUID: uuid, environment: .production, bundleId: "com.example.app"))
        #expect(
            idempotencyKey
                != IdempotencyKey(notificationUUID: uuid, environment: .sandbox, bundleId: "com.example.app2"))
    }
}
