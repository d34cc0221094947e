package import AppStoreVerification
package import EventLog
package import FactStore
package import Primitives

/// The one way in: verifies delivered artifacts and drafts their events.
package struct Ingestion: Sendable {
    let trust: TrustPolicy
    let secrets: SharedSecrets
    let verifier: SignedDataVerifier

    /// - Parameter secrets: those of the apps, for notifications of version 1.
    package init(trust: TrustPolicy, secrets: SharedSecrets = SharedSecrets()) {
        self.trust = trust
        self.secrets = secrets
        verifier = SignedDataVerifier(trust: trust)
    }

    /// Verifies one artifact and drafts its event. Calls may run in parallel.
    ///
    /// - Parameters:
    ///   - kind: nil takes the kind from the claims.
    ///   - now: the ledger's clock; bounds signing times.
    ///   - device: the device and the app that a receipt must be for.
    ///   - admit: examines the verified artifact and its facts before the event is drafted.
    /// - Returns: the draft and the result of `admit`, or the refusal of the verifier, of `admit` or of the draft:
    ///   `renewal_info_without_bundle`, `claim_missing`.
    package func draft<Admission>(
        of artifact: [UInt8], as kind: ArtifactKind? = nil, from source: EventSource, now: Instant,
        device: ReceiptDevice = ReceiptDevice(),
        admit: (SignedArtifact, EventFacts) throws(Refusal) -> Admission
    ) async -> Result<(draft: EventDraft, admission: Admission), Refusal> {
        await verifier.verify(artifact, as: kind, now: now, device: device).flatMap { artifact in
            Result { () throws(Refusal) in
                let bundleId = trust.apps.count == 1 ? trust.apps.first?.bundleId : nil
                let facts = EventDecoder.facts(of: StoredArtifact(artifact), bundleId: bundleId)
                let admission = try admit(artifact, facts)
                return (try EventDraft(artifact, facts: facts, source: source, trust: trust), admission)
            }
        }
    }
}

extension Ingestion {
    /// Verifies the parts of an answer of the App Store Server API and drafts its event.
    ///
    /// - Returns: the draft and the refused parts, each with its bytes; or the refusal of the answer as a whole: that
    ///   of its JSON, `kind_unknown`, `answer_mismatch`, `claim_malformed`.
    package func draft(
        ofAnswer bytes: [UInt8], to question: ServerAPIQuestion, from source: EventSource, now: Instant
    ) async -> Result<(draft: EventDraft, refused: [(refusal: Refusal, part: [UInt8])]), Refusal> {
        do throws(Refusal) {
            let answer = try Self.answer(bytes)
            var parts: [Result<SignedArtifact, Refusal>] = []
            for part in answer.parts { parts.append(await verify(part, now: now)) }
            let appAppleId = trust.apps.first { $0.bundleId == question.bundleId }?.appAppleId
            let draft = try AnswerEvents.recorded(
                answer, to: question, appAppleId: appAppleId, parts: parts, source: source, now: now)
            let refused = zip(parts, answer.parts).compactMap { result, part -> (Refusal, [UInt8])? in
                if case .failure(let refusal) = result { (refusal, part.text) } else { nil }
            }
            return .success((draft, refused))
        } catch {
            return .failure(error)
        }
    }

    private static func answer(_ bytes: [UInt8]) throws(Refusal) -> ServerAPIAnswer {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw Refusal(json: error)
        }
        guard let answer = ServerAPIAnswer(document) else {
            throw Refusal(
                .kindUnknown, "not an answer of the App Store Server API", expected: "signed parts or an errorCode",
                found: "other JSON")
        }
        return answer
    }

    /// A part without a signing time is refused, as it is alone.
    private func verify(_ part: ServerAPIAnswer.Part, now: Instant) async -> Result<SignedArtifact, Refusal> {
        await verifier.verify(part, now: now).flatMap { artifact in
            guard artifact.proof.hasSigningTime else {
                return .failure(
                    Refusal(
                        .claimMissing, "the artifact has no signing time", expected: "signedDate", found: "none",
                        part: part.path))
            }
            return .success(artifact)
        }
    }
}
