package import Primitives

/// One row of a timeline: a fact and its source. Equal names imply equal facts.
package struct Observation: Hashable, BitwiseCopyable, Sendable {
    package let source: Source
    package let fact: Fact

    package init(source: Source, fact: Fact) {
        self.source = source
        self.fact = fact
    }
}

/// A value of one kind with the source that states it. Folds work on these.
package struct Observed<Value: Hashable & BitwiseCopyable & Sendable>: Hashable, BitwiseCopyable, Sendable {
    package let source: Source
    package let value: Value

    package init(source: Source, value: Value) {
        self.source = source
        self.value = value
    }
}

/// Identifies an observation: the digest of its evidence, and the path in that evidence.
///
/// The digest is that of the signing input of the innermost JWS. A transaction posted alone and the same one nested in
/// a notification are therefore two events and one observation.
package struct ObservationName: Hashable, BitwiseCopyable, Sendable {
    package let digest: Digest
    /// Empty when the whole payload is the statement, as in every JWS.
    package let path: Symbol

    package init(digest: Digest, path: Symbol = .empty) {
        self.digest = digest
        self.path = path
    }
}

extension ObservationName: Comparable {
    package static func < (left: ObservationName, right: ObservationName) -> Bool {
        left.digest == right.digest ? left.path.text.bytesPrecede(right.path.text) : left.digest < right.digest
    }
}

/// The content of an observation.
package enum Fact: Hashable, BitwiseCopyable, Sendable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    case notification(NotificationFact)
    case app(AppFact)
}
