package import AppStoreVerification
package import EventLog
package import FactStore
package import Primitives

/// The one way in: verifies delivered artifacts and drafts their events.
package struct Ingestion: Sendable {
    private let trust: TrustPolicy
    private let verifier: SignedDataVerifier

    package init(trust: TrustPolicy) {
        self.trust = trust
        verifier = SignedDataVerifier(trust: trust)
    }

    /// Verifies one artifact and drafts its event. Calls may run in parallel.
    ///
    /// - Parameters:
    ///   - kind: nil takes the kind from the claims.
    ///   - now: the ledger's clock; bounds signing times.
    ///   - admit: examines the verified artifact and its facts before the event is drafted.
    /// - Returns: the draft and the result of `admit`, or the refusal of the verifier, of `admit` or of the draft:
    ///   `renewal_info_without_bundle`, `claim_missing`.
    package func draft<Admission>(
        of artifact: [UInt8], as kind: ArtifactKind? = nil, from source: EventSource, now: Instant,
        admit: (SignedArtifact, EventFacts) throws(Refusal) -> Admission
    ) async -> Result<(draft: EventDraft, admission: Admission), Refusal> {
        await verifier.verify(artifact, as: kind, now: now).flatMap { artifact in
            Result { () throws(Refusal) in
                let bundleId = trust.apps.count == 1 ? trust.apps.first?.bundleId : nil
                let facts = EventDecoder.facts(of: StoredArtifact(artifact), bundleId: bundleId)
                let admission = try admit(artifact, facts)
                return (try EventDraft(artifact, facts: facts, source: source, trust: trust), admission)
            }
        }
    }
}
