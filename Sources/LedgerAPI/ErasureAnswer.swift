package import Primitives

/// The result of `customer erase`.
package struct ErasureAnswer: Hashable, Sendable {
    /// Whether something was erased. False when nothing is held on the id.
    package var erased: Bool
    /// The pseudonym of the erased customer in events.
    package var handle: String?
    /// The position of the event customerErased.
    package var position: UInt64?
    package var withEvidence: Bool
    /// The number of events whose evidence was erased.
    package var evidence = 0
    /// Those of them that also concern another customer.
    package var shared: [UInt64] = []
    /// The events that concern another customer too and state no appAccountToken of the erased one. Their evidence stays.
    package var kept: [UInt64] = []
    /// The events of earlier versions whose records, which cannot change, state an appAccountToken.
    package var inRecords: [UInt64] = []
    /// The number of artifacts dropped from quarantine.
    package var quarantined = 0
    /// The number of rows removed from waiting imports.
    package var importRows = 0

    package init(erased: Bool, withEvidence: Bool) {
        (self.erased, self.withEvidence) = (erased, withEvidence)
    }
}

extension ErasureAnswer: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "erased": .bool(erased), "handle": JSONValue(handle),
            "position": position.map { JSONValue(position: $0) } ?? .null,
            "withEvidence": .bool(withEvidence), "evidence": .integer(Int64(evidence)),
            "shared": JSONValue(positions: shared),
            "kept": JSONValue(positions: kept), "inRecords": JSONValue(positions: inRecords),
            "quarantined": .integer(Int64(quarantined)),
            "importRows": .integer(Int64(importRows)),
        ])
    }
}
