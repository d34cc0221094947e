package import Primitives

/// One immutable event as stored in the log, format 1. The Merkle leaf is its hash.
///
/// A fixed part of 152 bytes, little-endian except for the idempotency key, then the body. The format is frozen: kinds
/// may be added, but none changes.
package struct Record: Hashable, Sendable {
    /// 0, 1, 2 … without gaps; also the index of the leaf in the tree.
    package var position: UInt64
    package var kind: EventKind
    package var source: EventSource
    package var environment: EnvironmentCode
    package var artifact: ArtifactCode
    package var trust: TrustClass
    package var flags: RecordFlags
    /// The time the ledger recorded the event; never before that of the preceding record.
    package var recordedAt: Instant
    package var idempotencyKey: IdempotencyKey
    /// The SHA-256 of the verbatim bytes; zero when there is no evidence.
    package var evidenceDigest: Digest
    package var evidenceLength: UInt32
    /// The instant at which the certificate chain was checked; not the wall clock.
    package var verifiedAt: Instant
    package var leafCertificate: Digest
    package var rootCertificate: Digest
    /// RFC 8785 JSON.
    package var body: [UInt8]

    package init(
        position: UInt64, kind: EventKind, source: EventSource, environment: EnvironmentCode, artifact: ArtifactCode,
        trust: TrustClass, flags: RecordFlags, recordedAt: Instant, idempotencyKey: IdempotencyKey,
        evidenceDigest: Digest,
        evidenceLength: UInt32, verifiedAt: Instant, leafCertificate: Digest, rootCertificate: Digest, body: [UInt8]
    ) {
        self.position = position
        self.kind = kind
        self.source = source
        self.environment = environment
        self.artifact = artifact
        self.trust = trust
        self.flags = flags
        self.recordedAt = recordedAt
        self.idempotencyKey = idempotencyKey
        self.evidenceDigest = evidenceDigest
        self.evidenceLength = evidenceLength
        self.verifiedAt = verifiedAt
        self.leafCertificate = leafCertificate
        self.rootCertificate = rootCertificate
        self.body = body
    }
}
