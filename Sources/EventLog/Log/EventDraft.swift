package import Primitives

/// An event that is to be appended: all of its record but what only the writer knows.
package struct EventDraft: Sendable {
    package let kind: EventKind
    package let source: EventSource
    package let environment: EnvironmentCode
    package let artifact: ArtifactCode
    package let trust: TrustClass
    package let flags: RecordFlags
    package let identity: Identity
    /// Under what a further event about the same thing is known as a repeat: a notification's UUID.
    package let repeatIdentity: Identity?
    package let evidence: Evidence
    package let verifiedAt: Instant
    package let leafCertificate: Digest
    package let rootCertificate: Digest
    /// RFC 8785 JSON.
    package let body: [UInt8]
    /// What the event says in the compact form of the facts store; handed to followers, not stored in the log.
    package let facts: [UInt8]
    /// Under what a follower finds the event; not stored in the log either.
    package let indexTerms: [IndexTerm]

    package init(
        kind: EventKind, source: EventSource, environment: EnvironmentCode, artifact: ArtifactCode, trust: TrustClass,
        flags: RecordFlags = [], identity: Identity, repeatIdentity: Identity? = nil, evidence: Evidence = .none,
        verifiedAt: Instant, leafCertificate: Digest = .zero, rootCertificate: Digest = .zero,
        body: [UInt8] = Array("{}".utf8), facts: [UInt8] = [], indexTerms: [IndexTerm] = []
    ) {
        self.kind = kind
        self.source = source
        self.environment = environment
        self.artifact = artifact
        self.trust = trust
        self.flags = flags
        self.identity = identity
        self.repeatIdentity = repeatIdentity
        self.evidence = evidence
        self.verifiedAt = verifiedAt
        self.leafCertificate = leafCertificate
        self.rootCertificate = rootCertificate
        self.body = body
        self.facts = facts
        self.indexTerms = indexTerms
    }

    /// Whether a record can hold it: a body from outside must be asked about before it is prepared.
    package var fitsRecord: Bool { Record.fixedByteCount + body.count <= Record.byteLimit }

    /// All of it but what only the writer knows.
    var record: Record {
        Record(
            position: 0, kind: kind, source: source, environment: environment, artifact: artifact, trust: trust,
            flags: flags, recordedAt: .earliest, identity: identity, evidenceDigest: evidence.digest,
            evidenceLength: UInt32(evidence.bytes.count), verifiedAt: verifiedAt, leafCertificate: leafCertificate,
            rootCertificate: rootCertificate, body: body)
    }
}

/// What became of a draft.
package struct Appended: Hashable, Sendable {
    /// Of the first event about the same thing: the one appended now, unless it was known.
    package let position: UInt64
    /// Whether the same artifact, or a notification of the same UUID, was known.
    package let isDuplicate: Bool
    /// Whether an event was appended: a re-signed retry is a duplicate, and still one more event.
    package let isAppended: Bool
}

/// An event that is durable, as followers get it.
package struct CommittedEvent: Sendable {
    package let record: Record
    package let repeatIdentity: Identity?
    package let facts: [UInt8]
    package let indexTerms: [IndexTerm]

    init(record: Record, prepared: PreparedEvent) {
        self.record = record
        repeatIdentity = prepared.repeatIdentity
        facts = prepared.facts
        indexTerms = prepared.indexTerms
    }
}
