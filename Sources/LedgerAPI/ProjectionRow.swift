package import Primitives

/// A stored projection: its inputs and the digest of its rows.
package struct ProjectionRow: Hashable, Sendable {
    package var projection: String
    package var rulesName: String
    /// The SHA-256 of the RFC 8785 form of the rules.
    package var rulesDigest: Digest
    /// Whether these rules are active.
    package var isActive: Bool
    /// Whether this version of the program computes the projection in the same way.
    package var isCurrentVersion: Bool
    /// The number of events folded.
    package var knownAt: UInt64
    /// The time at which the last of them was recorded, which is the instant of the rows.
    package var asOf: Instant
    package var rows: Int
    package var bytes: Int
    /// The SHA-256 of the stored rows in the order of their keys.
    package var sha256: Digest

    package init(
        projection: String, rulesName: String, rulesDigest: Digest, isActive: Bool, isCurrentVersion: Bool,
        knownAt: UInt64, asOf: Instant, rows: Int, bytes: Int, sha256: Digest
    ) {
        self.projection = projection
        self.rulesName = rulesName
        self.rulesDigest = rulesDigest
        self.isActive = isActive
        self.isCurrentVersion = isCurrentVersion
        self.knownAt = knownAt
        self.asOf = asOf
        self.rows = rows
        self.bytes = bytes
        self.sha256 = sha256
    }
}

extension ProjectionRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "projection": .string(projection), "rules": .string(rulesName), "digest": .string(rulesDigest.hex),
            "active": .bool(isActive), "currentVersion": .bool(isCurrentVersion),
            "knownAt": JSONValue(position: knownAt), "asOf": JSONValue(asOf), "rows": JSONValue(rows),
            "bytes": JSONValue(bytes), "sha256": .string(sha256.hex),
        ])
    }
}
