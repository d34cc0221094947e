import Primitives

/// What makes two artifacts the same thing: the first 16 bytes of
/// SHA-256("subledger" 0x00 artifact environment key).
package struct Identity: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package static let byteCount = 16

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter key: the 32 raw bytes of a digest, or an Idempotency-Key's UTF-8.
    package init(artifact: ArtifactCode, environment: EnvironmentCode, key: some Sequence<UInt8>) {
        self.init(hashing: "subledger", [artifact.rawValue, environment.rawValue] + Array(key))
    }

    /// Under which a notificationUUID is remembered: it counts per environment and bundle.
    package init(notificationUUID: String, environment: EnvironmentCode, bundleId: String) {
        self.init(
            hashing: "subledger notificationUUID",
            [environment.rawValue] + Array(bundleId.utf8) + [0] + Array(notificationUUID.utf8))
    }

    private init(hashing domain: String, _ key: [UInt8]) {
        let words = Digest.sha256(of: Array(domain.utf8) + [0] + key).words
        self.init(high: words.0, low: words.1)
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    package var hex: String { Hex.encode(bytes) }
}
