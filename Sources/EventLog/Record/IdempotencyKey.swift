import Primitives

/// Identifies an artifact across repeated deliveries: the first 16 bytes of SHA-256("subledger" 0x00 artifact
/// environment key).
package struct IdempotencyKey: Hashable, Sendable {
    /// Big-endian in a record, so that bytes and numbers have the same order.
    package let value: UInt128

    package static let byteCount = 16

    package init(_ value: UInt128) {
        self.value = value
    }

    /// - Parameter key: the 32 raw bytes of a digest, or the UTF-8 of an Idempotency-Key.
    package init(artifact: ArtifactCode, environment: EnvironmentCode, key: some Sequence<UInt8>) {
        self.init(hashing: "subledger", [artifact.rawValue, environment.rawValue] + Array(key))
    }

    /// Creates the key of a notificationUUID, which is distinct per environment and bundle.
    package init(notificationUUID: String, environment: EnvironmentCode, bundleId: String) {
        self.init(
            hashing: "subledger notificationUUID",
            [environment.rawValue] + Array(bundleId.utf8) + [0] + Array(notificationUUID.utf8))
    }

    private init(hashing domain: String, _ key: [UInt8]) {
        self.init(Digest.sha256(of: Array(domain.utf8) + [0] + key).firstHalf)
    }

    package var bytes: [UInt8] {
        value.bigEndianBytes
    }

    package var hex: String { Hex.encode(bytes) }
}

extension Array<UInt8> {
    mutating func append(_ key: IdempotencyKey) {
        Swift.withUnsafeBytes(of: key.value.bigEndian) { append(contentsOf: $0) }
    }
}
