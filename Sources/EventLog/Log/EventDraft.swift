package import Primitives

/// An event to append: its record without the fields that the writer sets.
package struct EventDraft: Sendable {
    package let kind: EventKind
    package let source: EventSource
    package let environment: EnvironmentCode
    package let artifact: ArtifactCode
    package let trust: TrustClass
    package let flags: RecordFlags
    package let idempotencyKey: IdempotencyKey
    /// The key that re-signed copies share, derived from a notification's UUID. Nil for other events.
    package let notificationKey: IdempotencyKey?
    package let evidence: Evidence
    package let verifiedAt: Instant
    package let leafCertificate: Digest
    package let rootCertificate: Digest
    /// RFC 8785 JSON.
    package let body: [UInt8]
    /// A value for the commit observer. The log neither reads nor stores it.
    package let attachment: (any Sendable)?

    package init(
        kind: EventKind, source: EventSource, environment: EnvironmentCode, artifact: ArtifactCode, trust: TrustClass,
        flags: RecordFlags = [], idempotencyKey: IdempotencyKey, notificationKey: IdempotencyKey? = nil,
        evidence: Evidence = .none,
        verifiedAt: Instant, leafCertificate: Digest = .zero, rootCertificate: Digest = .zero,
        body: [UInt8] = Array("{}".utf8), attachment: (any Sendable)? = nil
    ) {
        self.kind = kind
        self.source = source
        self.environment = environment
        self.artifact = artifact
        self.trust = trust
        self.flags = flags
        self.idempotencyKey = idempotencyKey
        self.notificationKey = notificationKey
        self.evidence = evidence
        self.verifiedAt = verifiedAt
        self.leafCertificate = leafCertificate
        self.rootCertificate = rootCertificate
        self.body = body
        self.attachment = attachment
    }

    /// Whether the event fits into a record. A body from outside must be checked before it is prepared.
    package var fitsRecord: Bool { Record.fixedByteCount + body.count <= Record.byteLimit }

    /// The record with position 0 and the earliest time.
    var record: Record {
        Record(
            position: 0, kind: kind, source: source, environment: environment, artifact: artifact, trust: trust,
            flags: flags, recordedAt: .earliest, idempotencyKey: idempotencyKey, evidenceDigest: evidence.digest,
            evidenceLength: UInt32(evidence.bytes.count), verifiedAt: verifiedAt, leafCertificate: leafCertificate,
            rootCertificate: rootCertificate, body: body)
    }
}
