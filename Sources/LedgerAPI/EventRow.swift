package import Primitives

/// An event of the log: a row of `/v1/events`, of `log show` and of `log tail`.
package struct EventRow: Hashable, Sendable {
    package var position: UInt64
    package var kind: String
    /// The channel of the event: `http`, `file`, `poll`, `reconcile`, `operator` or `import`.
    package var source: String
    package var environment: String?
    /// `signed`, `fetched`, `sharedSecret`, `asserted` or `own`.
    package var trust: String
    package var recordedAt: Instant
    /// 32 hexadecimal digits.
    package var identity: String
    package var evidence: Evidence
    package var verification: Verification
    /// RFC 8785 JSON.
    package var body: [UInt8]
    /// Nil for an event without a notification and without a purchase.
    package var about: About?
    /// The facts decoded from the evidence; nil unless requested.
    package var facts: [JSONValue]?

    /// The verbatim evidence of an event.
    package struct Evidence: Hashable, Sendable {
        package var artifact: String
        package var bytes: UInt32
        /// Nil when there are no bytes.
        package var sha256: String?
        /// The position of the event that erased the bytes; nil while they are there.
        package var erasedBy: UInt64?

        package init(artifact: String, bytes: UInt32, sha256: String?, erasedBy: UInt64? = nil) {
            self.artifact = artifact
            self.bytes = bytes
            self.sha256 = sha256
            self.erasedBy = erasedBy
        }
    }

    /// The proof of the signature; all members are nil for an event without one.
    package struct Verification: Hashable, Sendable {
        /// The instant at which the certificates were checked.
        package var at: Instant?
        /// SHA-256 fingerprints.
        package var leaf: String?
        package var root: String?
        package var configuredRoot: Bool

        package init(at: Instant?, leaf: String?, root: String?, configuredRoot: Bool) {
            self.at = at
            self.leaf = leaf
            self.root = root
            self.configuredRoot = configuredRoot
        }
    }

    /// The notification and the purchase of an event; members that the event does not state are nil.
    package struct About: Hashable, Sendable {
        package var notificationType: String?
        package var subtype: String?
        package var originalTransactionId: String?
        package var transactionId: String?
        package var productId: String?
        /// The instant until which the App Store accepts an answer.
        package var deadline: Instant?

        package init(
            notificationType: String? = nil, subtype: String? = nil, originalTransactionId: String?,
            transactionId: String? = nil, productId: String? = nil, deadline: Instant? = nil
        ) {
            self.notificationType = notificationType
            self.subtype = subtype
            self.originalTransactionId = originalTransactionId
            self.transactionId = transactionId
            self.productId = productId
            self.deadline = deadline
        }
    }

    package init(
        position: UInt64, kind: String, source: String, environment: String?, trust: String, recordedAt: Instant,
        identity: String, evidence: Evidence, verification: Verification, body: [UInt8], about: About?,
        facts: [JSONValue]? = nil
    ) {
        self.position = position
        self.kind = kind
        self.source = source
        self.environment = environment
        self.trust = trust
        self.recordedAt = recordedAt
        self.identity = identity
        self.evidence = evidence
        self.verification = verification
        self.body = body
        self.about = about
        self.facts = facts
    }
}

extension EventRow: JSONRepresentable {
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("position", JSONValue(position: position)),
            .init("kind", .string(kind)),
            .init("source", .string(source)),
            .init("environment", JSONValue(environment)),
            .init("trust", .string(trust)),
            .init("recordedAt", JSONValue(recordedAt)),
            .init("identity", .string(identity)),
            .init("evidence", evidence.json),
            .init("verification", verification.json),
            .init("body", .verbatim(body)),
            .init("about", JSONValue(about)),
        ]
        if let facts { members.append(.init("facts", .array(facts))) }
        return .object(members)
    }
}

extension EventRow.Evidence: JSONRepresentable {
    package var json: JSONValue {
        .object(
            [
                .init("artifact", .string(artifact)), .init("bytes", .integer(Int64(bytes))),
                .init("sha256", JSONValue(sha256)),
            ] + (erasedBy.map { [.init("erasedBy", JSONValue(position: $0))] } ?? []))
    }
}

extension EventRow.Verification: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "at": JSONValue(at), "leaf": JSONValue(leaf), "root": JSONValue(root),
            "configuredRoot": .bool(configuredRoot),
        ])
    }
}

extension EventRow.About: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "notificationType": JSONValue(notificationType), "subtype": JSONValue(subtype),
            "originalTransactionId": JSONValue(originalTransactionId), "transactionId": JSONValue(transactionId),
            "productId": JSONValue(productId), "deadline": JSONValue(deadline),
        ])
    }
}
