package import Primitives

/// One immutable event as it stands in the log, format 1: what the Merkle leaf is the hash of.
///
/// A fixed part of 152 bytes, little-endian, then the body. The format is frozen: kinds are added, none changes.
package struct Record: Hashable, Sendable {
    /// 0, 1, 2 … without gaps; also the leaf's index in the tree.
    package var position: UInt64
    package var kind: EventKind
    package var source: EventSource
    package var environment: EnvironmentCode
    package var artifact: ArtifactCode
    package var trust: TrustClass
    package var flags: RecordFlags
    /// When the ledger learned it; never below that of the record before.
    package var recordedAt: Instant
    package var identity: Identity
    /// Of the verbatim bytes; zero when there is no evidence.
    package var evidenceDigest: Digest
    package var evidenceLength: UInt32
    /// The instant the chain was checked at, not the wall clock.
    package var verifiedAt: Instant
    package var leafCertificate: Digest
    package var rootCertificate: Digest
    /// RFC 8785 JSON.
    package var body: [UInt8]

    package init(
        position: UInt64, kind: EventKind, source: EventSource, environment: EnvironmentCode, artifact: ArtifactCode,
        trust: TrustClass, flags: RecordFlags, recordedAt: Instant, identity: Identity, evidenceDigest: Digest,
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
        self.identity = identity
        self.evidenceDigest = evidenceDigest
        self.evidenceLength = evidenceLength
        self.verifiedAt = verifiedAt
        self.leafCertificate = leafCertificate
        self.rootCertificate = rootCertificate
        self.body = body
    }
}
